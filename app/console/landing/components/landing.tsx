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
          <span className="truncate">{branding.appName}</span>
        </span>
        <a
          href={withBase("/api/login")}
          className="-mr-3 inline-flex min-h-9 items-center rounded-md px-3 font-medium text-muted hover:bg-hover hover:text-ink pointer-coarse:min-h-11"
        >
          Sign In
        </a>
      </header>
      <main className="flex flex-col">
        <section className="mx-auto w-full max-w-3xl px-4 pt-16 pb-20 text-center md:pt-28">
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
        {/* Only under the product's own name, which the picture shows. */}
        {branding.initial === "" && <ProductPicture appName={branding.appName} />}
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
            Models call tools in several steps, and you see every parameter and result: {list(facts.tools)}.
          </Feature>
          <Feature icon={<ScrollText />} title="Access control and audit">
            Four roles, enforced on the server. Every change is recorded in a tamper-evident audit log.
          </Feature>
          <Feature icon={<Puzzle />} title="Plugins and MCP">
            {facts.plugins.length} plugins are included, such as {list(facts.plugins.slice(0, 2))}, and you
            can add any MCP server. Each shows the permissions it asks for before you install it.
          </Feature>
        </section>
        <section
          className="mx-auto mt-20 w-full max-w-6xl px-4 pb-24 max-sm:order-2 md:px-6"
          aria-labelledby="capabilities"
        >
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

/** In pixels; displayed at half or less. */
const PICTURE = { width: 1600, height: 1000 };

/**
 * The other theme's picture isn't displayed, so it isn't loaded. On phones it follows the features, so that
 * the first view doesn't wait for it.
 */
function ProductPicture({ appName }: { appName: string }) {
  const picture = (theme: "dark" | "light", className: string) => (
    <img
      src={withBase(`/product-${theme}.webp`)}
      srcSet={`${withBase(`/product-${theme}-800.webp`)} 800w, ${withBase(`/product-${theme}.webp`)} 1600w`}
      sizes="(min-width: 56rem) 54rem, 100vw"
      alt={`${appName} in a browser: an answer with a table and code, beside the settings for its model and tools`}
      {...PICTURE}
      loading="lazy"
      decoding="async"
      className={`h-auto w-full rounded-lg border border-line shadow-float ${className}`}
    />
  );
  return (
    <div className="mx-auto mb-16 w-full max-w-4xl px-4 max-sm:order-1 max-sm:mt-16 max-sm:mb-0 md:px-6">
      {picture("dark", "dark-only")}
      {picture("light", "light-only")}
    </div>
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
