import { ArrowRight, Check, Puzzle, Route, ScrollText, Wrench } from "lucide-react";
import type { ReactNode } from "react";
import { withBase } from "~/core/base-path";
import type { Branding } from "~/team/branding/branding.schema";
import { BrandLogo } from "~/ui/logo";

export interface LandingFacts {
  models: number;
  tools: string[];
  plugins: string[];
  providerTypes: string[];
  roles: number;
}

type LandingTexts = Pick<
  Branding,
  "appName" | "tagline" | "landingTitle" | "landingSubtitle" | "landingDescription" | "logoUrl"
> & { initial: string };

export function Landing({ branding, facts }: { branding: LandingTexts; facts: LandingFacts }) {
  return (
    <div className="relative isolate min-h-dvh overflow-x-clip">
      <div aria-hidden="true" className="pattern absolute inset-x-0 top-0 -z-10 h-[44rem]" />
      <header className="mx-auto flex h-16 max-w-6xl items-center justify-between gap-4 px-4 md:px-6">
        <span className="flex min-w-0 items-center gap-2.5 font-semibold">
          <BrandLogo src={branding.logoUrl} initial={branding.initial} />
          {/* The title below has the name already. */}
          <span className={branding.landingTitle ? "truncate" : "sr-only"}>{branding.appName}</span>
        </span>
        <a
          href={withBase("/api/login")}
          className="-mr-3 inline-flex min-h-9 items-center rounded-md px-3 font-medium text-muted hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
        >
          Sign In
        </a>
      </header>
      <main className="flex flex-col">
        <section className="mx-auto w-full max-w-3xl px-4 pt-10 pb-14 text-center md:pt-20">
          <h1 className="text-display">{branding.landingTitle || branding.appName}</h1>
          <p className="mt-4 text-balance text-lg text-muted">
            {branding.landingSubtitle || branding.tagline}
          </p>
          <p className="mx-auto mt-4 max-w-xl text-pretty text-md text-muted">
            {branding.landingDescription}
          </p>
          <a
            href={withBase("/api/login")}
            className="mt-8 inline-flex min-h-11 items-center gap-2 rounded-md forced-colors:border bg-primary-solid px-6 font-medium text-md text-on-solid shadow-card transition-colors hover:bg-primary-solid-hover"
          >
            Get Started
            <ArrowRight aria-hidden="true" className="size-4" />
          </a>
        </section>
        {/* Only under the product's own name, which the pictures show. */}
        {branding.initial === "" && <ProductPictures appName={branding.appName} />}
        <section
          aria-label="Features"
          className="mx-auto grid w-full max-w-6xl gap-4 px-4 sm:grid-cols-2 md:px-6 lg:grid-cols-4"
        >
          <Feature icon={<Route />} title="Every model in one place">
            One router for hosted and local providers, with fallbacks and cost optimization:{" "}
            {list(facts.providerTypes)}. Every answer shows its time, and its cost where the model has a
            price.
          </Feature>
          <Feature icon={<Wrench />} title="Multi-step tool calling">
            Models fetch pages, search your documents and call APIs in several steps, with{" "}
            {facts.tools.length} built-in tools. You see every parameter and result, and approve what writes
            or sends.
          </Feature>
          <Feature icon={<ScrollText />} title="Access control and audit">
            Each role is enforced on the server. Every change is recorded in a tamper-evident audit log.
          </Feature>
          <Feature icon={<Puzzle />} title="Plugins and MCP">
            {facts.plugins.length} plugins are included, such as {list(facts.plugins.slice(0, 2))}, and you
            can add any MCP server. Each shows the permissions it asks for before you install it.
          </Feature>
        </section>
        <section className="mx-auto mt-20 w-full max-w-6xl px-4 pb-24 md:px-6" aria-labelledby="capabilities">
          <div className="grid gap-8 rounded-xl border border-line bg-surface p-6 shadow-card md:grid-cols-2 md:p-10">
            <div>
              <h2 id="capabilities" className="text-lg">
                Built for the people who run it
              </h2>
              <p className="mt-2 text-pretty text-muted">
                Answers stream live and survive a reload, a second tab or a closed laptop. Everything works
                from the keyboard, on a phone and without JavaScript.
              </p>
              <dl className="mt-6 grid grid-cols-2 gap-4 sm:grid-cols-3">
                <Figure value={facts.models} label="cataloged models" />
                <Figure value={facts.tools.length} label="built-in tools" />
                <Figure value={facts.plugins.length} label="bundled plugins" />
                <Figure value={facts.roles} label="roles" />
                <Figure value="OpenID" label="login via your hosting platform" />
                <Figure value="1" label="command to deploy" />
              </dl>
            </div>
            <ul className="grid content-center gap-3">
              {[
                "Documents of many kinds, searched by meaning and by words, and quoted with their source",
                "Workflows from a canvas or a list, with schedules, webhooks, approvals and retries",
                "A built-in model that works before you connect a provider",
                "Personas with a system prompt, default model, mode and tools",
                "API keys by reference: values stay in the environment, never in the database",
                "Built-in accounts, or sign-in through your hosting platform's OpenID provider",
                "A documented HTTP API with the same rules as the screens",
                "One container: docker compose up starts the console with its data",
              ].map((line) => (
                <li key={line} className="flex gap-3">
                  <Check aria-hidden="true" className="mt-0.5 size-4 shrink-0 text-success-ink" />
                  <span>{line}</span>
                </li>
              ))}
            </ul>
          </div>
        </section>
      </main>
      <footer className="border-line border-t">
        <div className="mx-auto flex max-w-6xl flex-wrap items-center justify-between gap-x-6 gap-y-2 px-4 py-6 text-muted text-xs md:px-6">
          <p>{branding.appName}</p>
          <a
            href={withBase("/docs/api")}
            className="inline-flex min-h-8 items-center underline-offset-4 hover:text-ink hover:underline"
          >
            API reference
          </a>
        </div>
      </footer>
    </div>
  );
}

/** In pixels; displayed at half or less. `npm run pictures` takes them. */
const PICTURE = { width: 1600, height: 1000 };

const PICTURES = [
  {
    name: "chat",
    alt: "a chat's answer with a table",
    caption: "Answers from your documents, each claim with its source",
    sizes: "(min-width: 56rem) 54rem, 100vw",
    className: "md:col-span-2",
  },
  {
    name: "builder",
    alt: "the visual builder with a workflow of triggers, steps and a condition",
    caption: "Workflows drawn on a canvas, started by hand, schedule or webhook",
    sizes: "(min-width: 48rem) 27rem, 100vw",
    className: "",
  },
  {
    name: "run",
    alt: "a run's page with the state, time and output of each step",
    caption: "Each run with its steps, times and results",
    sizes: "(min-width: 48rem) 27rem, 100vw",
    className: "",
  },
];

const THEMES = [
  { theme: "dark", only: "dark-only" },
  { theme: "light", only: "light-only" },
];

/** The other theme's pictures aren't displayed, so they aren't loaded. */
function ProductPictures({ appName }: { appName: string }) {
  return (
    <section
      aria-label="Pictures"
      className="mx-auto mb-16 grid w-full max-w-4xl gap-x-6 gap-y-8 px-4 md:grid-cols-2 md:px-6"
    >
      {PICTURES.map(({ name, alt, caption, sizes, className }) => (
        <figure key={name} className={className}>
          {THEMES.map(({ theme, only }) => {
            const source = (width: number) => withBase(`/product-${name}-${theme}-${width}.webp`);
            return (
              <img
                key={theme}
                src={source(800)}
                srcSet={`${source(800)} 800w, ${source(1600)} 1600w`}
                sizes={sizes}
                alt={`${appName} in a browser: ${alt}`}
                {...PICTURE}
                loading="lazy"
                decoding="async"
                className={`h-auto w-full rounded-lg border border-line shadow-float ${only}`}
              />
            );
          })}
          <figcaption className="mt-3 text-center text-muted">{caption}</figcaption>
        </figure>
      ))}
    </section>
  );
}

function list(names: string[]): string {
  return new Intl.ListFormat("en-US", { type: "conjunction" }).format(names);
}

function Feature({ icon, title, children }: { icon: ReactNode; title: string; children: ReactNode }) {
  return (
    <article className="rounded-lg border border-line bg-surface p-5 shadow-card">
      <span className="grid size-9 place-items-center rounded-md bg-primary-soft text-primary-ink [&_svg]:size-4.5">
        {icon}
      </span>
      <h2 className="mt-4 text-md">{title}</h2>
      <p className="mt-1.5 text-pretty text-muted">{children}</p>
    </article>
  );
}

function Figure({ value, label }: { value: ReactNode; label: string }) {
  return (
    <div className="flex flex-col-reverse justify-end">
      <dt className="text-muted text-xs">{label}</dt>
      <dd className="font-semibold text-lg">{value}</dd>
    </div>
  );
}
