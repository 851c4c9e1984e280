import { Form, Link } from "@remix-run/react";
import { FileText, FileUp, FlaskConical, FolderSync, Globe, RotateCcw, Tags } from "lucide-react";
import type { ReactNode } from "react";
import { Card } from "~/ui/card";
import { countOf } from "~/ui/format";
import type { CollectionStats } from "../documents.schema";
import type { ListView } from "../screens/rag-screen.schema";
import { ragAddress, useChangesAddress } from "./addresses";

interface QuickActionsProps {
  stats: CollectionStats;
  view: ListView;
  mayWrite: boolean;
  mayManageSources: boolean;
}

const ROW =
  "flex min-h-9 w-full items-center gap-2.5 rounded-md px-2 py-1.5 text-left text-ink transition-colors hover:bg-hover pointer-coarse:min-h-11 [&_svg]:size-4 [&_svg]:shrink-0 [&_svg]:text-muted";

export function QuickActions({ stats, view, mayWrite, mayManageSources }: QuickActionsProps) {
  const changes = useChangesAddress();
  return (
    <Card title="Quick Actions">
      <ul className="-mx-2 -my-2 grid grid-cols-2 sm:grid-cols-3 xl:grid-cols-1">
        {mayWrite && (
          <>
            <Action to={ragAddress(view, { dialog: "ingest", tab: "text" })} icon={<FileText />}>
              Ingest text
            </Action>
            <Action to={ragAddress(view, { dialog: "ingest", tab: "url" })} icon={<Globe />}>
              Ingest a URL
            </Action>
            <Action to={ragAddress(view, { dialog: "ingest", tab: "file" })} icon={<FileUp />}>
              Ingest files
            </Action>
          </>
        )}
        {mayWrite && stats.retryable > 0 && (
          <li>
            <Form method="post" action={changes} preventScrollReset>
              <button type="submit" name="intent" value="retry-failed" className={ROW}>
                <RotateCcw aria-hidden="true" />
                Retry {countOf(stats.retryable, "failed document")}
              </button>
            </Form>
          </li>
        )}
        <Action to="/rag/check" icon={<FlaskConical />}>
          Retrieval Check
        </Action>
        {mayManageSources && (
          <Action to="/rag/sources" icon={<FolderSync />}>
            Manage sources
          </Action>
        )}
        {mayWrite && (
          <Action to="/rag/categories" icon={<Tags />}>
            Manage categories
          </Action>
        )}
      </ul>
    </Card>
  );
}

function Action({ to, icon, children }: { to: string; icon: ReactNode; children: ReactNode }) {
  return (
    <li>
      <Link to={to} preventScrollReset={to.startsWith("/rag?")} className={ROW}>
        <span aria-hidden="true" className="contents">
          {icon}
        </span>
        {children}
      </Link>
    </li>
  );
}
