import { Activity, ArrowRight, Brain, Network, Workflow } from "lucide-react";
import type { ReactNode } from "react";
import { AuditList, SampleEntries } from "~/console/audit/components/audit-list";
import type { People } from "~/platform/audit/actor-name.shared";
import type { DescribedEntry } from "~/platform/audit/audit.schema";
import { Sample } from "~/ui/badge";
import { LinkButton } from "~/ui/button";
import { Card } from "~/ui/card";
import { countOf, formatCount } from "~/ui/format";
import { NewestDocuments } from "~/work/documents/components/newest-documents";
import { ActiveRuns, SampleRuns } from "~/work/workflows/components/active-runs";
import type { Overview } from "../overview.schema";
import { LoadError } from "./plots";
import { ProviderList } from "./stats";

function More({ to, children }: { to: string; children: ReactNode }) {
  return (
    <LinkButton to={to} variant="ghost" size="sm" className="-my-1.5 -ml-2.5">
      {children}
      <ArrowRight aria-hidden="true" />
    </LinkButton>
  );
}

/** Shown until there is a document (console.md, section 9). */
const SAMPLE_DOCUMENTS = 1247;
const SAMPLE_PROVIDERS = 4;

export function DocumentsCard({ documents }: Pick<Overview, "documents">) {
  const { hasData = true, newest = [], total = 0 } = documents ?? {};
  return (
    <Card
      title="RAG Documents"
      icon={<Brain />}
      description={
        documents && (
          <>
            {countOf(hasData ? total : SAMPLE_DOCUMENTS, "document")} {!hasData && <Sample />}
          </>
        )
      }
      footer={<More to="/rag">View all documents</More>}
    >
      {!documents ? (
        <LoadError part="Documents" />
      ) : newest.length > 0 ? (
        <NewestDocuments documents={newest} />
      ) : (
        <p className="text-muted">
          {hasData ? "No documents shared with you" : "The first document replaces this sample."}
        </p>
      )}
    </Card>
  );
}

export function WorkflowsCard({ workflows }: Pick<Overview, "workflows">) {
  return (
    <Card
      title="Active Workflows"
      icon={<Workflow />}
      footer={<More to="/workflows">View all workflows</More>}
    >
      {!workflows ? (
        <LoadError part="Workflows" />
      ) : !workflows.hasData ? (
        <SampleRuns />
      ) : workflows.runs.length > 0 ? (
        <ActiveRuns runs={workflows.runs} />
      ) : (
        <p className="text-muted">No workflow is running</p>
      )}
    </Card>
  );
}

interface ProvidersCardProps extends Pick<Overview, "providers"> {
  mayConfigure: boolean;
}

export function ProvidersCard({ providers, mayConfigure }: ProvidersCardProps) {
  const hasProviders = !providers || providers.cards.length > 0;
  const online = hasProviders ? providers?.online : SAMPLE_PROVIDERS;
  return (
    <Card
      title="Provider Status"
      icon={<Network />}
      description={
        online !== undefined && (
          <>
            {formatCount(online)} online {!hasProviders && <Sample />}
          </>
        )
      }
      footer={mayConfigure && <More to="/settings/providers">Manage providers</More>}
    >
      {!providers ? (
        <LoadError part="Providers" />
      ) : hasProviders ? (
        <ProviderList providers={providers.cards} />
      ) : (
        <p className="text-muted">
          {mayConfigure
            ? "The first provider replaces this sample. Connect OpenAI, Anthropic, Google or any compatible server."
            : "The first provider replaces this sample. Ask an admin to connect one."}
        </p>
      )}
    </Card>
  );
}

interface ActivityCardProps {
  people: People;
  recent: { hasData: boolean; entries: DescribedEntry[] } | undefined;
}

export function ActivityCard({ people, recent }: ActivityCardProps) {
  return (
    <Card title="Recent Activity" icon={<Activity />} footer={<More to="/audit">View full audit log</More>}>
      {!recent ? (
        <LoadError part="Activity" />
      ) : recent.entries.length > 0 ? (
        <div className="-my-2.5">
          <AuditList entries={recent.entries} people={people} />
        </div>
      ) : !recent.hasData ? (
        <SampleEntries />
      ) : (
        <p className="text-muted">No activity yet</p>
      )}
    </Card>
  );
}
