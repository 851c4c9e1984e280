import { SaxesParser } from "saxes";
import { AppError } from "~/core/errors";

/** At most `limit`. @throws AppError `unprocessable` */
export function locationsOf(xml: string, limit: number): string[] {
  const parser = new SaxesParser();
  const locations: string[] = [];
  let text: string | undefined;
  let failure: Error | undefined;
  parser.on("opentag", ({ name }) => {
    if (name.replace(/^.*:/, "") === "loc") text = "";
  });
  parser.on("text", (piece) => {
    if (text !== undefined && text.length < 4000) text += piece;
  });
  parser.on("closetag", () => {
    if (text !== undefined && locations.length < limit) locations.push(text.trim());
    text = undefined;
  });
  parser.on("error", (error) => {
    failure ??= error;
  });
  parser.write(xml).close();
  if (failure && locations.length === 0)
    throw new AppError("unprocessable", "This isn't a sitemap. Enter the address of a sitemap.xml.", {
      cause: failure,
    });
  return locations;
}
