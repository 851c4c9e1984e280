import { AppError } from "~/core/errors";
import type { ReadDocument } from "./document";
import type { DocumentFormat, SourceFile } from "./format";
import { html } from "./formats/html.format";
import { markdown } from "./formats/markdown.format";
import { plainText } from "./formats/text.format";
import { sniff } from "./sniff";

/** Every format, those first whose content is told most surely. A new one is a file and its line here. */
const formats = [html, markdown, plainText] as const satisfies readonly DocumentFormat[];

function endingOf(name: string): string {
  return /\.[a-z\d]{1,10}$/i.exec(name)?.[0].toLowerCase() ?? "";
}

/** By its content, then by its name, then by what was told of it; any other text is plain text. */
function findFormat(file: SourceFile): DocumentFormat {
  const content = sniff(file);
  const all: readonly DocumentFormat[] = formats;
  const ending = endingOf(file.name);
  const type = (file.contentType.split(";")[0] ?? "").trim().toLowerCase();
  return (
    all.find((format) => format.recognises?.(content)) ??
    all.find((format) => format.text && format.endings.includes(ending)) ??
    all.find((format) => format.text && format.types.includes(type)) ??
    plainText
  );
}

/**
 * Reads a document's text and structure.
 *
 * @throws AppError `invalid` with a sentence for a person when there is nothing that can be read
 */
export async function readDocument(file: SourceFile): Promise<ReadDocument> {
  if (file.bytes.length === 0) throw new AppError("invalid", "The file is empty.");
  const format = findFormat(file);
  const document = await readAs(format, file);
  if (document.blocks.length > 0) return document;
  throw new AppError("invalid", document.facts.notes?.join(" ") || "No text was found in this document.");
}

async function readAs(format: DocumentFormat, file: SourceFile): Promise<ReadDocument> {
  try {
    return await format.read(file);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError("invalid", `This ${format.label} file is damaged and can't be read.`, {
      cause: error,
    });
  }
}
