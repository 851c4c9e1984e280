import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readDocument } from "./index";

// Third-party documents. They are no part of the project: without them these tests are skipped.
const SAMPLES = resolve("../shared/samples");
const present = existsSync(SAMPLES) || existsSync(resolve("../../shared/samples"));
const folder = existsSync(SAMPLES) ? SAMPLES : resolve("../../shared/samples");
const read = (path: string) =>
  readDocument({ bytes: readFileSync(join(folder, path)), name: path, contentType: "" });

describe(
  present ? "the sample documents" : "the sample documents (SKIPPED: ../shared/samples is absent)",
  () => {
    it.skipIf(!present).each(["doc", "docx", "html", "pdf", "ppt", "pptx", "txt", "xls", "xlsx"])(
      "have the same text in %s",
      async (ending) => {
        const { title, text } = await read(`files/document.${ending}`);
        expect(`${title} ${text}`.replace(/\s+/g, " ")).toContain(
          "At vero eos et accusam et justo duo dolores",
        );
      },
    );

    it.skipIf(!present)(
      "in English have headings, tables and pages",
      async () => {
        const { title, text, blocks, facts } = await read("files/asvs-3.0.1-en.pdf");
        expect(title).toBe("Application Security Verification Standard 3.0.1");
        expect(facts.pages).toBe(70);
        const headings = blocks.filter((block) => block.kind === "heading");
        const names = headings.map(({ start, end }) => text.slice(start, end));
        expect(names).toContain("V2: Authentication Verification Requirements");
        expect(text).toContain(
          "1.1 | Verify that all application components are identified and are known to be needed.",
        );
        expect(text).not.toMatch(/\d+ OWASP Application Security Verification Standard 3\.0/);
      },
      60_000,
    );

    it.skipIf(!present)(
      "in Japanese are read",
      async () => {
        const { title, text } = await read("files/asvs-4.0.1-ja.pdf");
        expect(title).toBe("OWASP アプリケーションセキュリティ検証標準 4.0");
        expect(text).toContain("アプリケーションセキュリティ検証レベル");
        // No space where a line ended within a sentence.
        expect(text).toContain("開発すべての段階でセキュアソフトウェア開発ライフサイクルを用いている");
      },
      60_000,
    );

    it.skipIf(!present)(
      "in Markdown are all read",
      async () => {
        const names = readdirSync(join(folder, "markdown"));
        for (const name of names) {
          const { title, blocks } = await read(`markdown/${name}`);
          expect(title, name).not.toBe("");
          expect(blocks.length, name).toBeGreaterThan(1);
        }
      },
      60_000,
    );
  },
);
