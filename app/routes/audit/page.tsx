import type { LoaderFunctionArgs } from "@remix-run/node";
import { useLoaderData, useSearchParams } from "@remix-run/react";
import { ScrollText } from "lucide-react";
import { AuditQuery } from "~/features/audit/audit.schema";
import { listAudit } from "~/features/audit/audit.service.server";
import { AuditList } from "~/features/audit/components/audit-list";
import { may } from "~/features/members/authorisation.server";
import { requireScreenActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("Audit Log");

export function loader({ request, context }: LoaderFunctionArgs) {
  return onScreen(context, () => {
    const actor = requireScreenActor(request, context);
    const cursor = new URL(request.url).searchParams.get("cursor") ?? undefined;
    const { limit } = AuditQuery.parse({});
    return { ...listAudit(actor, { limit, cursor }), everyone: may(actor, "audit.all") };
  });
}

export default function AuditLog() {
  const { entries, next, everyone } = useLoaderData<typeof loader>();
  const older = useSearchParams()[0].has("cursor");
  return (
    <>
      <PageHeader title="Audit Log" subtitle="System activity and security events" />
      {entries.length === 0 ? (
        <EmptyState
          icon={<ScrollText />}
          title="No audit logs found"
          description="Audit logs will appear here as system activities occur"
        />
      ) : (
        <Card
          title={everyone ? "Everyone's activity" : "Your own activity"}
          footer={
            (next || older) && (
              <>
                {older && <LinkButton to="/audit">Newest</LinkButton>}
                {next && (
                  <LinkButton to={`/audit?cursor=${encodeURIComponent(next)}`}>Load More Logs</LinkButton>
                )}
              </>
            )
          }
        >
          <AuditList entries={entries} />
        </Card>
      )}
    </>
  );
}
