import { z } from "zod";

/** A list's `cursor` in an address: what the last answer's `Link` header gave. `core/cursor` decodes it. */
export const CursorParam = z.string().max(256).optional();
