/** A separate file, so that the browser doesn't load zod. */
export const OFFLINE_MODEL = "quarterdeck-offline";
