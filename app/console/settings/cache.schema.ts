import { z } from "zod";

export const CacheState = z.object({ cached: z.int().describe("Cached values") });
export const CacheCleared = z.object({ cleared: z.int().describe("Values that were cached") });
