/** Never returns an empty topic, for which the server would refuse the whole stream. */
export const splitTopics = (joined: string): string[] => (joined === "" ? [] : joined.split(","));
