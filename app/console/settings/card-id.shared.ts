export const cardId = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
