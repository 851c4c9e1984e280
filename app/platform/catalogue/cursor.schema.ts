import { z } from "zod";

/** From the `Link` header of the previous page; decoded by `core/cursor`. */
export const CursorParam = z.string().max(256).optional();
