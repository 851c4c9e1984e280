import { useLoaderData } from "@remix-run/react";
import { ApiReference } from "~/features/api-reference/components/api-reference";
import { apiReference } from "~/http/api-reference.server";
import { screen } from "~/http/screen.server";
import { LinkButton } from "~/ui/button";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("API");

const { loader } = screen({ access: "public", load: () => ({ groups: apiReference() }) });

export { loader };

/** The readable page of the API, open to everyone as the OpenAPI document is. */
export default function ApiPage() {
  const { groups } = useLoaderData<typeof loader>();
  return (
    <main className="mx-auto max-w-4xl px-4 py-8">
      <PageHeader
        title="API"
        subtitle="Call the console from programs with an API token: Authorization: Bearer qd_…"
        actions={
          <>
            <LinkButton to="/" reloadDocument>
              Console
            </LinkButton>
            <LinkButton to="/api/openapi.json" reloadDocument>
              OpenAPI 3.1
            </LinkButton>
          </>
        }
      />
      <p className="mb-6 max-w-prose text-muted text-sm">
        Bodies are JSON. Errors are application/problem+json with a sentence in detail and, where fields are
        wrong, errors by field. Lists are arrays; the next page is in the Link header.
      </p>
      <ApiReference groups={groups} />
    </main>
  );
}
