import { parseHTML } from "linkedom";
import type { Effects, Installation } from "./effect";
import { inDatabase } from "./installation";

async function open({ server, pages }: Installation, path: string, as?: "member"): Promise<Document> {
  const read = async () => {
    const response = await server.ask(path, { ...(as ? { as } : {}), headers: { accept: "text/html" } });
    return parseHTML(await response.text()).document;
  };
  const page = pages.get(path) ?? read();
  pages.set(path, page);
  return page;
}

const rootOf = async (installation: Installation) =>
  (await open(installation, "/personas", "member")).documentElement;

/** A custom property of every page. */
const property = (name: string) => async (installation: Installation) =>
  new RegExp(`${name}:([^;]+)`).exec((await rootOf(installation)).getAttribute("style") ?? "")?.[1];

const attribute = (name: string) => async (installation: Installation) =>
  (await rootOf(installation)).getAttribute(name);

const landing = (selector: string) => async (installation: Installation) =>
  (await open(installation, "/")).querySelector(selector)?.textContent;

const DESCRIPTION =
  "Ask models from any provider, get answers from your documents with their sources, automate work in workflows, and see who did what and what it cost. One process with one data file.";

export const branding: Effects<"branding"> = {
  appName: {
    to: "Bridge",
    observe: async (installation) => (await open(installation, "/personas", "member")).title,
    before: "Personas · Quarterdeck",
    after: "Personas · Bridge",
  },
  tagline: {
    alone: true,
    to: "All hands",
    observe: landing("main section p"),
    before: "Chat, documents and workflows for your team, with any AI model, on your own server",
    after: "All hands",
  },
  primaryColor: {
    to: "#aa0000",
    observe: property("--color-primary"),
    before: "#3b82f6",
    after: "#aa0000",
  },
  secondaryColor: {
    to: "#00aa00",
    observe: property("--color-secondary"),
    before: "#8b5cf6",
    after: "#00aa00",
  },
  accentColor: { to: "#0000aa", observe: property("--color-accent"), before: "#10b981", after: "#0000aa" },
  backgroundColor: {
    to: "#101010",
    observe: property("--color-background"),
    before: "#09090b",
    after: "#101010",
  },
  textColor: { to: "#eeeeee", observe: property("--color-text"), before: "#ffffff", after: "#eeeeee" },
  landingTitle: { to: "Welcome", observe: landing("h1"), before: "Quarterdeck", after: "Welcome" },
  landingSubtitle: {
    to: "Come in",
    observe: landing("main section p"),
    before: "Chat, documents and workflows for your team, with any AI model, on your own server",
    after: "Come in",
  },
  landingDescription: {
    to: "A place to work.",
    observe: landing("main section p + p"),
    before: DESCRIPTION,
    after: "A place to work.",
  },
  logoUrl: {
    to: "/icon.svg",
    observe: async (installation) =>
      (await open(installation, "/personas", "member")).querySelector("aside img")?.getAttribute("src"),
    before: undefined,
    after: "/icon.svg",
  },
  faviconUrl: {
    to: "/product-chat-dark-800.webp",
    observe: async (installation) =>
      (await open(installation, "/personas", "member"))
        .querySelector('link[rel="icon"]')
        ?.getAttribute("href"),
    before: "/icon.svg",
    after: "/product-chat-dark-800.webp",
  },
  customCss: {
    to: "main { color: red }",
    async observe(installation) {
      const link = (await open(installation, "/personas", "member")).querySelector(
        'link[href^="/custom.css"]',
      );
      const address = link?.getAttribute("href");
      return address && (await (await installation.server.ask(address)).text());
    },
    before: undefined,
    after: "main:where([data-custom-css],[data-custom-css] *){color:red}",
  },
  theme: { to: "light", observe: attribute("data-theme"), before: "dark", after: "light" },
  fontFamily: {
    to: "Roboto",
    observe: property("--font-sans"),
    before: '"Inter Variable", ui-sans-serif, system-ui, sans-serif',
    after: '"Roboto Variable", ui-sans-serif, system-ui, sans-serif',
  },
  borderRadius: { to: "14", observe: property("--brand-radius"), before: "8px", after: "14px" },
  glassEffect: { to: null, observe: attribute("data-glass"), before: "", after: null },
  backgroundPattern: { to: "dots", observe: attribute("data-pattern"), before: "grid", after: "dots" },
};

export const organisation: Effects<"organisation"> = {
  teamTitle: {
    to: "Night Watch",
    observe: async (installation) =>
      (await open(installation, "/personas", "member")).body.textContent?.includes("Night Watch"),
    before: false,
    after: true,
  },
  timeZone: {
    to: "Pacific/Kiritimati",
    // The hour of UTC at which the daily backup is due.
    observe: async (installation) =>
      inDatabase(installation, (database) =>
        database
          .prepare("SELECT next_at / 3600000 % 24 FROM schedules WHERE key = 'backups.schedule'")
          .pluck()
          .get(),
      ),
    before: 3,
    after: 13,
  },
};
