/** The ratings of one model's answers. */
export interface ModelRatings {
  model: string;
  up: number;
  down: number;
}
