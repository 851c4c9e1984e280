/** No topic rather than an empty one, which the server refuses with all others of the shared stream. */
export const splitTopics = (joined: string): string[] => (joined === "" ? [] : joined.split(","));
