import type { LoaderFunctionArgs } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { Activity, Bot, MessageSquare } from "lucide-react";
import { listAudit } from "~/features/audit/audit.service.server";
import { AuditList } from "~/features/audit/components/audit-list";
import { readActor } from "~/http/authentication.server";
import { onScreen } from "~/http/form.server";
import { Card } from "~/ui/card";
import { PageHeader } from "~/ui/page-header";
import { titled } from "~/ui/titled";

export const meta = titled("Dashboard");

export function loader({ request, context }: LoaderFunctionArgs) {
  return onScreen(context, () => {
    const actor = readActor(request, context);
    // Signed out, the shell shows the landing page in this one's place.
    return actor ? { recent: listAudit(actor, { limit: 6 }).entries } : null;
  });
}

export default function Dashboard() {
  const loaded = useLoaderData<typeof loader>();
  if (!loaded) return null;
  return (
    <>
      <PageHeader title="Dashboard" subtitle="AI/AGI Control Platform Overview" />
      <div className="grid gap-4 lg:grid-cols-3">
        <Link to="/chat">
          <Card title="AI Chat" icon={<MessageSquare />} />
        </Link>
        <Link to="/personas">
          <Card title="Personas" icon={<Bot />} />
        </Link>
        <Card title="Recent Activity" icon={<Activity />}>
          <AuditList entries={loaded.recent} times="long" />
        </Card>
      </div>
    </>
  );
}
