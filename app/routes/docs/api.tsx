import { Link, useLoaderData, useSearchParams } from "@remix-run/react";
import { ChevronRight, Search } from "lucide-react";
import { z } from "zod";
import { apiReference } from "~/http/api-description.server";
import { screen } from "~/http/screen.server";
import { Badge, type Tone } from "~/ui/badge";
import { Button, LinkButton } from "~/ui/button";
import { cx } from "~/ui/class-names";
import { EmptyState } from "~/ui/empty-state";
import { Input } from "~/ui/input";
import { PageHeader, pageTitle } from "~/ui/page-header";
import { ScrollRegion } from "~/ui/scroll-region";

export const meta = pageTitle("API");

const { loader } = screen({
  access: "public",
  query: z.object({
    search: z.string().trim().max(200).default(""),
    topic: z.string().max(60).optional().catch(undefined),
  }),
  load: ({ actor, query: { search, topic } }) => ({
    isSignedIn: actor !== undefined,
    search,
    ...apiReference(search, topic),
  }),
});

export { loader };

export default function ApiPage() {
  const { isSignedIn, search, topics, topic, groups } = useLoaderData<typeof loader>();
  return (
    <main className="mx-auto max-w-4xl px-4 py-8">
      <PageHeader
        title="API"
        subtitle="Call the console from programs with an API token: Authorization: Bearer qd_…"
        actions={
          <>
            <LinkButton to={isSignedIn ? "/" : "/login"} reloadDocument>
              {isSignedIn ? "Back to Dashboard" : "Sign In"}
            </LinkButton>
            <LinkButton to="/api/openapi.json" reloadDocument>
              OpenAPI 3.1
            </LinkButton>
          </>
        }
      />
      <p className="mb-4 max-w-prose text-muted text-sm">
        Bodies are JSON. Errors are application/problem+json with a sentence in detail and, where fields are
        wrong, errors by field. Lists are arrays; the next page is in the Link header.
      </p>
      <form method="get" className="mb-4 flex flex-wrap items-center gap-2">
        <Input
          type="search"
          name="search"
          aria-label="Search the API"
          placeholder="Search calls..."
          defaultValue={search}
          maxLength={200}
          className="w-auto flex-1 basis-48 sm:max-w-80"
        />
        <Button icon={<Search aria-hidden="true" />}>Search</Button>
      </form>
      <Topics topics={topics} topic={topic} />
      {groups.length === 0 ? (
        <EmptyState
          icon={<Search />}
          title="No calls found"
          description="Search for other words, such as a path or a subject."
          action={
            <LinkButton to="/docs/api" reloadDocument>
              Show All Calls
            </LinkButton>
          }
        />
      ) : (
        <ApiReference groups={groups} />
      )}
    </main>
  );
}

type Reference = ReturnType<typeof apiReference>;
type Operation = Reference["groups"][number]["operations"][number];
type FieldList = NonNullable<Operation["whole"]>["parameters"];

const TONES: Record<string, Tone> = {
  GET: "info",
  POST: "success",
  PUT: "warning",
  PATCH: "warning",
  DELETE: "danger",
};

function Fields({ title, fields }: { title: string; fields: FieldList }) {
  if (fields.length === 0) return null;
  return (
    <div className="min-w-0">
      <h4 className="mb-1 text-muted text-xs">{title}</h4>
      <ScrollRegion label={title} className="scroll-x rounded-md border border-line">
        <table className="w-full border-collapse text-left text-sm">
          <thead className="bg-sunken text-muted text-xs">
            <tr>
              {["Name", "Type", "Meaning"].map((title) => (
                <th key={title} scope="col" className="px-3 py-2 font-medium">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.name} className="border-line border-t align-top">
                <td className="whitespace-nowrap px-3 py-2 font-mono text-xs">
                  {field.name}
                  {field.required && (
                    <span className="text-danger-ink" title="Required">
                      *<span className="sr-only"> required</span>
                    </span>
                  )}
                </td>
                <td className="px-3 py-2 font-mono text-muted text-xs">{field.type}</td>
                <td className="min-w-40 px-3 py-2 text-muted">{field.description}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </div>
  );
}

interface OperationProps {
  operation: Operation;
  tag: string;
}

const slug = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
const idOf = ({ method, path }: Operation) => slug(`${method} ${path}`);

function Heading({ operation }: { operation: Operation }) {
  return (
    <>
      <span className="md:w-15">
        <Badge tone={TONES[operation.method] ?? "neutral"} mono>
          {operation.method}
        </Badge>
      </span>
      <span className="wrap-anywhere min-w-0 max-md:flex-1 font-mono text-sm">{operation.path}</span>
      <ChevronRight
        aria-hidden="true"
        className="ml-auto size-4 shrink-0 text-muted group-open:rotate-90 md:order-last"
      />
      <span className="min-w-0 flex-1 basis-full text-muted text-sm md:basis-0">{operation.summary}</span>
    </>
  );
}

const ROW = "flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 rounded-lg px-4 py-2 hover:bg-hover";
const FRAME = "rounded-lg border border-line bg-surface";

/** Leads to its fields, on the page of its topic. */
function OperationLink({ operation, tag }: OperationProps) {
  const id = idOf(operation);
  return (
    <Link
      to={{ search: `?${new URLSearchParams({ topic: tag, call: id })}`, hash: id }}
      className={cx(ROW, FRAME)}
    >
      <Heading operation={operation} />
    </Link>
  );
}

function OperationView({ whole }: { whole: NonNullable<Operation["whole"]> }) {
  const id = idOf(whole);
  const isAsked = useSearchParams()[0].get("call") === id;
  return (
    <details id={id} open={isAsked || undefined} className={cx("group scroll-mt-4", FRAME)}>
      <summary className={cx("cursor-pointer list-none [&::-webkit-details-marker]:hidden", ROW)}>
        <Heading operation={whole} />
      </summary>
      <div className="space-y-4 border-line border-t p-4">
        {whole.description && <p className="text-sm">{whole.description}</p>}
        <p className="text-muted text-xs">
          {whole.access} · returns {whole.status}
          {whole.produces && ` with ${whole.produces}`}
        </p>
        <Fields title="Parameters" fields={whole.parameters} />
        <Fields title="Body" fields={whole.body} />
        <Fields title="Response" fields={whole.answer} />
      </div>
    </details>
  );
}

function Topics({ topics, topic }: Pick<Reference, "topics" | "topic">) {
  return (
    <nav aria-label="Topics" className="mb-6">
      <ul className="flex flex-wrap gap-x-4 text-sm">
        {[undefined, ...topics].map((tag) => (
          <li key={tag ?? ""}>
            <Link
              to={tag === undefined ? "/docs/api" : `?${new URLSearchParams({ topic: tag })}`}
              aria-current={tag === topic ? "page" : undefined}
              className="inline-flex min-h-7 items-center text-primary-ink underline-offset-4 hover:underline aria-[current]:font-medium aria-[current]:text-ink pointer-coarse:min-h-11"
            >
              {tag ?? "All"}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function ApiReference({ groups }: Pick<Reference, "groups">) {
  return (
    <div className="space-y-8">
      {groups.map(({ tag, operations }) => (
        <section key={tag} aria-labelledby={`tag-${slug(tag)}`}>
          <h2 id={`tag-${slug(tag)}`} className="mb-2 scroll-mt-4 text-md">
            {tag}
          </h2>
          <ul className="space-y-2">
            {operations.map((operation) => (
              <li key={idOf(operation)}>
                {operation.whole ? (
                  <OperationView whole={operation.whole} />
                ) : (
                  <OperationLink operation={operation} tag={tag} />
                )}
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}
