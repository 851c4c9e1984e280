import { z } from "zod";

/** Texts, each with the pattern of its field, which comes from outside and may never end on some text. */
export const PatternTask = z.array(z.object({ pattern: z.string(), text: z.string() }));
export type PatternTask = z.infer<typeof PatternTask>;

/** As JSON Schema has it: unanchored, with Unicode's rules where the pattern is valid by them. */
function matches({ pattern, text }: PatternTask[number]): boolean {
  for (const flags of ["u", ""])
    try {
      return new RegExp(pattern, flags).test(text);
    } catch {
      // The pattern isn't valid by these rules.
    }
  // A pattern that means nothing here is left to the server that sent it.
  return true;
}

/** Runs in a worker thread. @returns whether each text fits */
export const matchPatterns = (task: PatternTask): boolean[] => task.map(matches);
