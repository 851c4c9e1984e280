import { afterAll, beforeAll, describe, it } from "vitest";
import type { Role } from "~/core/actor";
import {
  type AttackedServer,
  expectCheap,
  inGroups,
  isWholeMatrix,
  PAGE_MS,
  startAttacked,
  targetsOf,
} from "../support/attack";
import { readSitemap } from "../support/sitemap";

const ASKERS: (Role | undefined)[] = isWholeMatrix
  ? [undefined, "viewer", "member", "owner"]
  : [undefined, "member"];
/** All in the whole matrix, else one after the other. */
const askersOf = (attack: number) => (isWholeMatrix ? ASKERS : ASKERS.slice(attack % 2).slice(0, 1));

const NAMES = {
  "a list position of four billion": "a[4294967294]",
  "a list position of a million in a known field": "email[1000000]",
  "nested positions": `a${"[9]".repeat(33)}`,
  "a prototype": "__proto__[polluted]",
  "a constructor": "constructor.prototype.polluted",
  "deep nesting": "a.".repeat(5000).slice(0, -1),
  "a long name": "n".repeat(500_000),
  "a parser's intent": "__intent__",
  "a parser's state": "__state__",
};

const FORM = "application/x-www-form-urlencoded";
const encode = (name: string, value: string) => new URLSearchParams({ [name]: value }).toString();
const multipart = (name: string, value: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n--x--\r\n`;

/** Bodies that a form may read: the builder ignores what it has no field for, and shows its draft again. */
const READABLE = {
  "thousands of names": Array.from({ length: 1900 }, (_, i) => `f${i}=b`).join("&"),
  "one name a thousand times": "email=b&".repeat(1990),
  "a long value": encode("email", "é".repeat(100_000)),
};
const isRedrawn = (path: string, body: string) =>
  path === "/workflows/builder" && Object.values(READABLE).includes(body);

const BODIES: [what: string, body: string, type: string][] = [
  ...Object.entries(NAMES).flatMap(([what, name]): [string, string, string][] => [
    [what, encode(name, "b"), FORM],
    [`${what}, multipart`, multipart(name, "b"), "multipart/form-data; boundary=x"],
  ]),
  ["thousands of fields", "a=b&".repeat(250_000), FORM],
  ...Object.entries(READABLE).map(([what, body]): [string, string, string] => [what, body, FORM]),
  [
    "an intent that inserts at four billion",
    encode("__intent__", '{"type":"insert","payload":{"name":"a","index":4294967294}}'),
    FORM,
  ],
];

let attacked: AttackedServer;
let forms: { path: string; intents: string[] }[];
beforeAll(async () => {
  attacked = await startAttacked();
  const sitemap = await readSitemap();
  forms = sitemap
    .filter(({ path, methods }) => methods.includes("POST") && !/^\/(api|v1)\/|\*/.test(path))
    .map(({ path, intents }) => ({
      path: path.replace(/\{\w+\}\??/g, "unknown"),
      intents: Object.keys(intents),
    }));
});
afterAll(() => attacked.server.close());

async function send(path: string, body: string, type: string, as: Role | undefined): Promise<number> {
  const { server } = attacked;
  const headers = { "content-type": type, origin: server.baseUrl, accept: "text/html" };
  const response = await server.ask(path, { body, headers, ...(as ? { as } : {}) });
  await response.arrayBuffer();
  return response.status;
}

type Sent = readonly [path: string, body: string];

async function attack(sent: readonly Sent[], type: string, as: Role | undefined): Promise<void> {
  const attacks = sent.map(([path, body]) => ({
    what: `POST ${path} ${body.slice(0, 60)} of ${as ?? "nobody"}`,
    send: () => send(path, body, type, as),
    from: isRedrawn(path, body) ? 200 : 300,
  }));
  for (const group of inGroups(attacks)) await expectCheap(attacked, group, PAGE_MS, 100);
}

describe.each(BODIES.map(([what, body, type], n) => [what, body, type, n] as const))(
  "%s",
  (_, body, type, n) => {
    it("gets a refusal from every form within the time of a page", async () => {
      const paths = targetsOf(forms, n).map(({ path }): Sent => [path, body]);
      for (const as of askersOf(n)) await attack(paths, type, as);
    });
  },
);

describe.each(Object.entries(NAMES).slice(0, isWholeMatrix ? undefined : 1))("%s", (_, name) => {
  it("gets a refusal beside each button of every form", async () => {
    const field = encode(name, "b");
    for (const { path, intents } of targetsOf(forms, 0))
      await attack(
        intents.map((intent): Sent => [path, `intent=${intent}&${field}`]),
        FORM,
        "owner",
      );
  });
});
