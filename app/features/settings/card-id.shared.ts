/** The id of a settings card, from its title: `Colors & Theme` -> `colors-theme`. */
export const cardId = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
