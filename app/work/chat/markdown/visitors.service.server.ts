import { AppError } from "~/core/errors";
import { log } from "~/core/log.server";
import { renderForVisitors } from "./render-pool.server";
import { writePlain } from "./render-task";

/** Of texts that are formatted at once, the last ones first, in characters. */
const MAX_FORMATTED = 100_000;

/**
 * Markdown as HTML for people outside the organization, in a thread that members don't wait for. What is too long or
 * takes too long is shown as it is written.
 * @param own the console's origin, to which no link leads
 */
export async function formatForVisitors(texts: readonly string[], own: string): Promise<string[]> {
  let room = MAX_FORMATTED;
  const fitting = texts
    .toReversed()
    .map((text) => {
      room -= text.length;
      return room >= 0 ? text : null;
    })
    .toReversed();
  try {
    const html = await renderForVisitors(fitting, own);
    return texts.map((text, at) => html[at] ?? writePlain(text));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn("texts for a visitor are shown as they are written", { error });
    return texts.map(writePlain);
  }
}
