import { useRevalidator } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import type { Batch, BatchItem } from "../batches.schema";
import type { CollectionStats, Document } from "../documents.schema";
import type { KnowledgeEvent } from "../ingest.schema";
import type { Group } from "./group";

/** What of the screen moves by itself. */
export interface Live {
  groups: Group[];
  stats: CollectionStats;
  batch: Batch | undefined;
}

type Change = KnowledgeEvent["documents"][number];

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
  const [told, setTold] = useState<{
    of: Live;
    changes: ReadonlyMap<string, Change>;
    stats: CollectionStats;
  }>();
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
    source.onmessage = ({ data }: MessageEvent<string>) => {
      // The console's own server wrote it by its schema.
      const { documents, removed, stats } = JSON.parse(data) as KnowledgeEvent;
      const { current } = latest;
      setTold((before) => {
        const changes = new Map(before?.of === current ? before.changes : []);
        for (const change of documents) changes.set(change.id, change);
        return { of: current, changes, stats };
      });
      const ended = documents.filter(({ status }) => status !== "processing");
      for (const change of ended) {
        const document = findDocument(current, change.id);
        if (document?.status === "processing") end.current(document, change);
      }
      // Titles, counts and batches are the server's to say.
      if (ended.length > 0 || removed.length > 0 || current.batch) again ??= window.setTimeout(read, GATHER);
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
  if (told?.of !== loaded) return loaded;
  return {
    stats: told.stats,
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
function isRunning({ stats, batch }: Live): boolean {
  return stats.processing > 0 || (batch !== undefined && batch.counts.queued + batch.counts.running > 0);
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
