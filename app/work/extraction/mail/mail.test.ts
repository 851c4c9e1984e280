import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { makeEml, makeMixedEml, makeMsg } from "../../../../tests/support/mail-files";
import { readDocument } from "../index";
import { takeInnerFiles } from "../inner-files";
import { unpackRtf } from "./compressed-rtf";

const read = (bytes: Uint8Array, name = "mail.eml") => readDocument({ bytes, name, contentType: "" });
const fixture = (name: string) => read(readFileSync(`tests/fixtures/documents/${name}`), name);
const HEAD = { From: "Ann <ann@example.org>", To: "bob@example.org", Subject: "Offer" };

describe("an email", () => {
  it("is decoded with its subject and body", async () => {
    const base64 = await fixture("mail-base64.eml");
    expect(base64.title).toBe("定例会議");
    expect(base64.text).toContain("資料番号はDOC-5512です");
    const quoted = await fixture("mail-qp.eml");
    expect(quoted.title).toBe("Änderung");
    expect(quoted.text).toContain(
      "Die Lieferung verzögert sich bis zum 14. März, weil der Vertrag noch nicht unterschrieben ist.",
    );
  });

  it("has its head as people read it", async () => {
    const headers = { ...HEAD, Cc: "=?utf-8?Q?J=C3=BCrgen?= <j@example.org>, c@example.org" };
    const bytes = makeEml(
      { ...headers, Date: "Sat, 14 Mar 2026 10:00:00 +0100" },
      "Hello\r\n\r\n> quoted\r\n",
    );
    const { text, facts } = await read(bytes);
    expect(text).toBe(
      "Offer\n\nFrom: Ann <ann@example.org>\nTo: bob@example.org\nCc: Jürgen <j@example.org>, c@example.org\n" +
        "Date: Sat, 14 Mar 2026 10:00:00 +0100\n\nHello\n\n> quoted",
    );
    expect(facts).toMatchObject({ author: "Ann <ann@example.org>", created: "2026-03-14T09:00:00.000Z" });
  });

  it("takes the HTML of a message that has both, with what it quotes", async () => {
    const html = "<p>New price: <b>12 €</b></p><blockquote>Old price: 9 €</blockquote>";
    const body =
      `--a\r\nContent-Type: text/plain\r\n\r\nplain\r\n--a\r\n` +
      `Content-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n--a--`;
    const type = 'multipart/alternative; boundary="a"';
    const { text, blocks } = await read(makeEml({ ...HEAD, "Content-Type": type }, body));
    expect(text).toContain("New price: 12 €\n\nOld price: 9 €");
    expect(text).not.toContain("plain");
    expect(blocks.at(-1)?.kind).toBe("quote");
  });

  it("is read in a charset that it doesn't name", async () => {
    const head = Buffer.from("From: a@example.org\r\nSubject: Test\r\nDate: 1 Mar 2026\r\n\r\n");
    const body = Buffer.from("L\xfcbeck und K\xf6ln bezahlen die Stra\xdfe f\xfcr alle.", "latin1");
    expect((await read(Buffer.concat([head, body]))).text).toContain("Lübeck und Köln bezahlen die Straße");
  });

  it("is known by its content, as Apple Mail and mailboxes keep it too", async () => {
    const mail = Buffer.from(makeEml(HEAD, "Hello"));
    const apple = Buffer.concat([Buffer.from(`${mail.length}\n`), mail, Buffer.from("<plist/>")]);
    for (const bytes of [mail, apple, Buffer.concat([Buffer.from("From ann Sat Mar 14\n"), mail])]) {
      const { title, text } = await read(bytes, "mail.txt");
      expect([title, text.endsWith("Hello")]).toEqual(["Offer", true]);
    }
    const { facts } = await read(Buffer.from("from: 2020\nto: 2021\nsubject: years\n"), "range.yaml");
    expect(facts.format).toBe("Text");
  });

  it.each([
    ["application/pkcs7-mime; smime-type=enveloped-data", "MIIB", /^This message is encrypted/],
    ['multipart/encrypted; boundary="x"', "--x\r\n\r\nVersion: 1\r\n--x--", /^This message is encrypted/],
    [
      "text/plain",
      "-----BEGIN PGP MESSAGE-----\nhQ\n-----END PGP MESSAGE-----",
      /^This message is encrypted/,
    ],
  ])("of type %s says that it is encrypted", async (type, body, message) => {
    await expect(read(makeEml({ ...HEAD, "Content-Type": type }, body))).rejects.toThrow(message);
  });

  it("whose parts are nested without end is refused", async () => {
    const levels = Array.from({ length: 200 }, (_, n) => `multipart/mixed; boundary="b${n}"`);
    const body = levels.slice(1).map((type, n) => `--b${n}\r\nContent-Type: ${type}\r\n\r\n`);
    const mail = makeEml({ ...HEAD, "Content-Type": levels[0] ?? "" }, body.join(""));
    await expect(read(mail)).rejects.toThrow(/^The parts of this message are nested too deeply/);
  });

  it("names its attachments and counts what is left out", async () => {
    const mail = makeMixedEml(HEAD, [
      { type: "text/plain", body: "See below." },
      { type: "text/csv", name: "prices.csv", body: "a,b\n1,2\n" },
      { type: "message/rfc822", name: "", body: makeEml({ ...HEAD, Subject: "Earlier/first" }, "Inner") },
      { type: "application/pgp-signature", name: "signature.asc", body: "x" },
    ]);
    const { text, facts } = await read(mail);
    expect(text).toContain("Attachments: prices.csv, Earlier-first.eml");
    expect(text).not.toContain("Inner");
    expect(facts).toMatchObject({ files: 2, notes: ["Left out: 1 signature."] });
    const files: string[] = [];
    for await (const { path } of takeInnerFiles({ bytes: mail, name: "m.eml", contentType: "" }))
      files.push(path);
    expect(files).toEqual(["prices.csv", "Earlier-first.eml"]);
  });
});

it("a message within an email isn't part of its text", async () => {
  const inner =
    "Content-Type: message/rfc822\r\n\r\nFrom: ann@example.org\r\nSubject: Earlier\r\n\r\nInner text\r\n";
  const body = `--a\r\n\r\nOuter text\r\n--a\r\n${inner}--a--`;
  const { text } = await read(makeEml({ ...HEAD, "Content-Type": 'multipart/mixed; boundary="a"' }, body));
  expect(text).toContain("Attachments: Earlier.eml\n\nOuter text");
  expect(text).not.toContain("Inner text");
});

describe("an Outlook message", () => {
  const properties = {
    "0037001F": "Angebot",
    "0C1A001F": "Erika Muster",
    "5D01001F": "erika@example.org",
    "1000001F": "Der Preis beträgt 12 €.",
  };
  const withRtf = (source: string, others: typeof properties | Record<string, string> = properties) => {
    const rtf = Buffer.from(source);
    const head = Buffer.alloc(16);
    head.writeUInt32LE(rtf.length + 12, 0);
    head.writeUInt32LE(rtf.length, 4);
    head.write("MELA", 8);
    return makeMsg({ properties: { ...others, "10090102": Buffer.concat([head, rtf]) } });
  };
  const recipients = [{ "3001001F": "Bob", "39FE001F": "bob@example.org" }];

  it("has the form of an email", async () => {
    const attachments = [{ "3707001F": "preise.csv", "37010102": Buffer.from("a,b\n1,2\n") }];
    const bytes = makeMsg({ properties, recipients, attachments });
    const { text, facts } = await read(bytes, "angebot.msg");
    expect(text).toBe(
      "Angebot\n\nFrom: Erika Muster <erika@example.org>\nTo: Bob <bob@example.org>\nAttachments: preise.csv\n\n" +
        "Der Preis beträgt 12 €.",
    );
    expect(facts).toMatchObject({ format: "Outlook message", files: 1 });
    for await (const { path, bytes: content } of takeInnerFiles({ bytes, name: "a.msg", contentType: "" }))
      expect([path, Buffer.from(content ?? []).toString()]).toEqual(["preise.csv", "a,b\n1,2\n"]);
  });

  it("is read from its HTML, also within RTF", async () => {
    const html = { ...properties, "10130102": Buffer.from("<p>Preis: <b>13 €</b></p>") };
    expect((await read(makeMsg({ properties: html }), "a.msg")).text).toContain("Preis: 13 €");
    const inRtf = String.raw`{\rtf1\ansi\ansicpg1252\fromhtml1 {\*\htmltag64 <p>}Preis: 14 \'80{\*\htmltag72 </p>}}`;
    expect((await read(withRtf(inRtf), "a.msg")).text).toContain("Preis: 14 €");
  });

  it("is read from RTF that isn't made of HTML, where it has no plain text", async () => {
    const rtf = String.raw`{\rtf1\ansi\ansicpg1252 Preis:\par 15 \'80}`;
    expect((await read(withRtf(rtf, { "0037001F": "Angebot" }), "a.msg")).text).toBe(
      "Angebot\n\nPreis:\n\n15 €",
    );
    expect((await read(withRtf(rtf), "a.msg")).text).toContain("Der Preis beträgt 12 €.");
  });

  it("has messages attached to it, with their own attachments", async () => {
    const inner = { "0037001F": "Earlier", "1000001F": "The first offer." };
    const bytes = makeMsg({ properties, messages: { "Earlier/first": inner } });
    const taken: string[] = [];
    for await (const file of takeInnerFiles({ bytes, name: "a.msg", contentType: "" })) {
      taken.push(file.path);
      const { title, text } = await read(file.bytes ?? new Uint8Array(), file.path);
      expect([title, text]).toEqual(["Earlier", "Earlier\n\nThe first offer."]);
    }
    expect(taken).toEqual(["Earlier-first.msg"]);
  });

  it("has its date, and texts in its code page", async () => {
    // In units of 100 ns since 1601.
    const sent = (BigInt(Date.parse("2026-03-14T09:00:00Z")) + 11_644_473_600_000n) * 10_000n;
    const bytes = makeMsg({
      properties: {
        "0037001E": Buffer.from("c4eee3eee2eef0", "hex"),
        "1000001E": Buffer.from("d2e5eaf1f2", "hex"),
      },
      fixed: [
        [0x3ffd0003, 1251n],
        [0x00390040, sent],
      ],
    });
    const { title, text, facts } = await read(bytes, "a.msg");
    expect([title, text]).toEqual(["Договор", "Договор\n\nDate: Sat, 14 Mar 2026 09:00:00 GMT\n\nТекст"]);
    expect(facts.created).toBe("2026-03-14T09:00:00.000Z");
  });

  it("that is encrypted or damaged is refused", async () => {
    const smime = makeMsg({ properties: { ...properties, "001A001F": "IPM.Note.SMIME" } });
    await expect(read(smime, "a.msg")).rejects.toThrow(/^This message is encrypted/);
    const cut = makeMsg({ properties }).subarray(0, 1200);
    await expect(read(cut, "a.msg")).rejects.toThrow();
  });
});

it("unpacks the compressed RTF of the specification's example", () => {
  // [MS-OXRTFCP] 3.1.1.
  const packed = Buffer.from(
    "2d0000002b0000004c5a4675f1c5c7a703000a00726370673132354232 0af32068656c090020627705b06c647d0a800fa0".replace(
      " ",
      "",
    ),
    "hex",
  );
  expect(unpackRtf(packed)?.toString("latin1")).toBe("{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n");
});
