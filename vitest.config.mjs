import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "test/{core,sql,node,agents,cli,mcp,library,examples,golden,property,attacks,scripts}/**/*.test.ts",
    ],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
