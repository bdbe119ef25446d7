import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: vitest takes its settings from the default export.
export default defineConfig({
  test: {
    include: ["test/agentPrograms/**/*.agent.ts", "test/examples/**/*.agent.ts"],
    testTimeout: 300_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
