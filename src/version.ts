/** The version, as package.json has it. */
import manifest from "../package.json";

export const version: string = manifest.version;
