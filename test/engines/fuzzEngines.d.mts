/** The engines that texts are run on. */
export const ENGINES: readonly string[];
