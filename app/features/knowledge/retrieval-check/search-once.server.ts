import { AppError } from "~/core/errors";
import type { SearchOnce } from "./run-check.server";

/** Searches one index in one way through the search's own threads. */
export const searchOnce: SearchOnce = async () => {
  throw new AppError("unavailable", "Not yet.");
};
