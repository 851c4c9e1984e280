import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { Batch, BatchItem } from "../batches.schema";
import type { CollectionStats, Document } from "../documents.schema";
import type { RagStatus } from "../indexes.schema";
import type { KnowledgeEvent } from "../ingest.schema";
import type { Group } from "./group";

/** What of the screen moves by itself. */
export interface Live {
  groups: Group[];
  stats: CollectionStats;
  batch: Batch | undefined;
  /** With the index that is being built, which is told of by the same events. */
  status: RagStatus;
}

type Change = KnowledgeEvent["documents"][number];

/** What was told since the page was loaded; what is loaded anew stands in its place. */
interface Told {
  of: readonly Group[];
  changes: ReadonlyMap<string, Change>;
  stats: CollectionStats;
}

/** Changes of documents are gathered for as long before the page is read anew, in milliseconds. */
const GATHER = 800;

/**
 * The screen as it is now: what was loaded, with what the server has told since. While something is processed one
 * connection is open; when a document is ready or has failed the page is read anew.
 *
 * @param onEnd is called for each document that was processed and is no longer
 */
export function useLive(loaded: Live, onEnd: (document: Document, change: Change) => void): Live {
  const { revalidate } = useRevalidator();
  const [told, setTold] = useState<Told>();
  const end = useRef(onEnd);
  end.current = onEnd;
  const running = isRunning(loaded);
  const latest = useRef(loaded);
  useEffect(() => {
    latest.current = loaded;
  }, [loaded]);
  useEffect(() => {
    if (!running) return;
    let again: number | undefined;
    const source = new EventSource("/api/rag/events");
    // What happened between the page's loading and the connection was told to nobody; the same after a lost one.
    source.onopen = () => read();
    source.onmessage = ({ data }: MessageEvent<string>) => {
      // The console's own server wrote it by its schema.
      const { documents, removed, stats } = JSON.parse(data) as KnowledgeEvent;
      const { current } = latest;
      setTold((before) => {
        const changes = new Map(before?.of === current.groups ? before.changes : []);
        for (const change of documents) changes.set(change.id, change);
        return { of: current.groups, changes, stats };
      });
      const ended = documents.filter(({ status }) => status !== "processing");
      for (const change of ended) {
        const document = findDocument(current, change.id);
        if (document?.status === "processing") end.current(document, change);
      }
      // Titles, counts and batches are the server's to say.
      const others = current.batch !== undefined || isBuilding(current.status);
      if (ended.length > 0 || removed.length > 0 || others) again ??= window.setTimeout(read, GATHER);
    };
    const read = () => {
      again = undefined;
      revalidate();
    };
    return () => {
      source.close();
      clearTimeout(again);
    };
  }, [running, revalidate]);
  if (told?.of !== loaded.groups) return loaded;
  return {
    stats: told.stats,
    status: loaded.status,
    groups: loaded.groups.map((group) => ({
      ...group,
      documents: group.documents.map((document) => withChange(document, told.changes.get(document.id))),
    })),
    batch: loaded.batch && {
      ...loaded.batch,
      items: loaded.batch.items.map((item) => withStep(item, told.changes.get(item.documentId ?? ""))),
    },
  };
}

/** Whether anything that is shown may still change by itself. */
function isRunning({ stats, batch, status }: Live): boolean {
  if (stats.processing > 0 || isBuilding(status)) return true;
  return batch !== undefined && batch.counts.queued + batch.counts.running > 0;
}

function isBuilding({ indexes }: RagStatus): boolean {
  return indexes.some(({ state }) => state === "building");
}

function findDocument({ groups }: Live, id: string): Document | undefined {
  for (const { documents } of groups) {
    const found = documents.find((document) => document.id === id);
    if (found) return found;
  }
  return undefined;
}

function withChange(document: Document, change: Change | undefined): Document {
  return change ? { ...document, ...change } : document;
}

function withStep(item: BatchItem, change: Change | undefined): BatchItem {
  const going = item.state === "queued" || item.state === "running";
  return going && change?.progress ? { ...item, ...change.progress } : item;
}
