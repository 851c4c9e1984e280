export interface ModelRatings {
  model: string;
  up: number;
  down: number;
}
