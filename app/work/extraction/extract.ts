import { EXTRACTED_BYTES, type ExtractInput, type ExtractOutput } from "~/ai/tools/reading/extraction.schema";
import { looksBinary } from "~/core/charset";
import { AppError } from "~/core/errors";
import { decodeFile } from "./decode-file";
import { mediaTypeOf } from "./format";
import { HTML_START, readPage } from "./html/page";

const TEXT_TYPE =
  /^(?:text\/|application\/(?:.+\+)?(?:json|xml|yaml|x-yaml|javascript|ecmascript|x-ndjson|toml|sql|x-sh)$|message\/|image\/svg\+xml$)/;

function isHtml(type: string, text: string): boolean {
  if (type === "text/html" || type === "application/xhtml+xml") return true;
  return (type === "" || type === "text/plain") && HTML_START.test(text);
}

/** @throws AppError `invalid` unless it is text */
export async function extract({ bytes, contentType }: ExtractInput): Promise<ExtractOutput> {
  const type = mediaTypeOf(contentType);
  if ((type !== "" && !TEXT_TYPE.test(type)) || looksBinary(bytes)) {
    throw new AppError("invalid", `This page isn't text but ${type.slice(0, 100) || "binary data"}.`);
  }
  const { text } = await decodeFile({ bytes: bytes.subarray(0, EXTRACTED_BYTES), contentType });
  if (!isHtml(type, text)) return { title: "", text: text.trim() };
  const { title, text: readable, facts } = readPage(text);
  return {
    title,
    text: readable,
    ...(facts.author ? { byline: facts.author } : {}),
    ...(facts.language ? { language: facts.language } : {}),
  };
}
