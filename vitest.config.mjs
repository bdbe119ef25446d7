import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: [
      "test/{core,sql,node,agents,cli,mcp,library,examples,golden,property,attacks,scripts}/**/*.test.ts",
    ],
    // Ends what hangs; a slow machine is no failure.
    testTimeout: 90_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
