import { defineConfig } from "vitest/config";

// biome-ignore lint/style/noDefaultExport: vitest takes its settings from the default export.
export default defineConfig({
  test: {
    include: ["test/panel/**/*.test.ts"],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    fileParallelism: false,
    expect: { poll: { timeout: 15_000 } },
  },
});
