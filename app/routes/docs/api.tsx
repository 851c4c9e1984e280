import { useLoaderData } from "@remix-run/react";
import { Search } from "lucide-react";
import { z } from "zod";
import { ApiReference } from "~/console/api-reference/components/api-reference";
import { apiReference } from "~/http/api-description.server";
import { screen } from "~/http/screen.server";
import { Button, LinkButton } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { Input } from "~/ui/input";
import { PageHeader, pageTitle } from "~/ui/page-header";

export const meta = pageTitle("API");

const { loader } = screen({
  access: "public",
  query: z.object({ search: z.string().trim().max(200).default("") }),
  load: ({ actor, query: { search } }) => ({
    isSignedIn: actor !== undefined,
    search,
    groups: apiReference(search),
  }),
});

export { loader };

export default function ApiPage() {
  const { isSignedIn, search, groups } = useLoaderData<typeof loader>();
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
