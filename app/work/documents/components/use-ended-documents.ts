import { useEffect, useRef } from "react";
import { showToast } from "~/ui/toast-store";
import type { RagStatus } from "~/work/index/indexes.schema";
import type { Document } from "../documents.schema";
import { INGESTION_FAILED, processedSentence } from "../ingestion/ingest-messages.shared";
import type { Group } from "./pending-change";

interface Shown {
  groups: readonly Group[];
  withoutVectors: readonly string[];
  status: Pick<RagStatus, "embedder">;
}

function byId(groups: readonly Group[]): Map<string, Document> {
  return new Map(groups.flatMap(({ documents }) => documents.map((document) => [document.id, document])));
}

export function useEndedDocuments({ groups, withoutVectors, status }: Shown, isQuiet: boolean): void {
  const hasEmbedder = status.embedder !== null;
  const before = useRef(groups);
  useEffect(() => {
    const earlier = byId(before.current);
    before.current = groups;
    if (isQuiet) return;
    for (const [id, document] of byId(groups)) {
      const { name, chunks, error } = document;
      if (earlier.get(id)?.status !== "processing" || document.status === "processing") continue;
      const hasEmbeddings = hasEmbedder && !withoutVectors.includes(id);
      if (document.status === "failed" || error !== null)
        showToast({ kind: "error", title: INGESTION_FAILED, description: `${name}: ${error}` });
      else showToast({ kind: "success", title: processedSentence(name, chunks, hasEmbeddings) });
    }
  }, [groups, withoutVectors, hasEmbedder, isQuiet]);
}
