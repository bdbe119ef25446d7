/** First bytes of everything the plugin's client prints: without them the wrapper denies. */
export const token = "CS1 ";
