import { startTransition, useEffect, useMemo, useRef, useState } from "react";
import type { Batch, BatchItem, UnsettledBatch } from "../batches.schema";
import type { CollectionStats, Document } from "../documents.schema";
import type { RagStatus } from "../indexes.schema";
import type { KnowledgeEvent } from "../ingest.schema";
import type { Group } from "./group";
import { useKnowledgeEvents } from "./use-knowledge-events";
import { useReadAnew } from "./use-read-anew";

/** What of the screen moves by itself. */
export interface Live {
  groups: Group[];
  stats: CollectionStats;
  batch: Batch | undefined;
  /** The batches of which something waits, runs or has failed. */
  unsettled: UnsettledBatch[];
  /** With the index that is being built, which is told of by the same events. */
  status: RagStatus;
}

type Change = KnowledgeEvent["documents"][number];

/** What was told since the page was loaded; what is loaded anew stands in its place. */
interface Told {
  of: readonly Group[];
  changes: ReadonlyMap<string, Change>;
  stats: CollectionStats;
  status: RagStatus | undefined;
}

/** Changes of documents are gathered for as long before the page is read anew, in milliseconds. */
const GATHER = 800;

/**
 * The screen as it is now: what was loaded, with what the server has told since. When a document is ready or has failed,
 * when there are fewer of them, when they are called or placed otherwise, or when another index is built or serves, the page is read anew.
 *
 * @param onEnd is called for each document that was processed and is no longer
 */
export function useLive(loaded: Live, onEnd: (document: Document, change: Change) => void): Live {
  const [told, setTold] = useState<Told>();
  const readAnew = useReadAnew(GATHER);
  const running = isRunning(loaded);
  const anew = useRef(readAnew);
  anew.current = readAnew;
  // What ended between its loading and its being shown was told to a page that had nothing to wait for.
  useEffect(() => {
    if (running) anew.current();
  }, [running]);
  useKnowledgeEvents({
    whileHidden: running,
    // What happened between the page's loading and the connection was told to nobody.
    onOpen: (again) => {
      if (running || again) readAnew();
    },
    onEvent: ({ documents, removed, listed, stats, status }) => {
      // It may come while the list is still being hydrated, which anything more urgent would break off.
      startTransition(() =>
        setTold((before) => {
          const same = before?.of === loaded.groups ? before : undefined;
          const changes = new Map(same?.changes);
          for (const change of documents) changes.set(change.id, change);
          return { of: loaded.groups, changes, stats, status: status ?? same?.status };
        }),
      );
      const ended = documents.filter(({ status }) => status !== "processing");
      for (const change of ended) {
        const document = findDocument(loaded, change.id);
        if (document?.status === "processing") onEnd(document, change);
      }
      // Which documents were hidden or deleted is told only to who was told of them before; that there are fewer, to all.
      const fewer = removed.length > 0 || stats.total < loaded.stats.total;
      // Titles, counts and batches are the server's to say.
      const others = loaded.batch !== undefined || isBuilding(loaded.status) || documents.length === 0;
      const otherIndex = status !== undefined && statesOf(status) !== statesOf(loaded.status);
      if (listed || fewer || otherIndex || (running && (ended.length > 0 || others))) readAnew();
    },
  });
  const groups = useMemo(() => withChanges(loaded.groups, told), [loaded.groups, told]);
  if (told?.of !== loaded.groups) return loaded;
  return {
    stats: told.stats,
    status: told.status ?? loaded.status,
    unsettled: loaded.unsettled,
    groups,
    batch: loaded.batch && {
      ...loaded.batch,
      items: loaded.batch.items.map((item) => withStep(item, told.changes.get(item.documentId ?? ""))),
    },
  };
}

/** Whether anything that is shown may still change by itself. */
function isRunning({ stats, batch, unsettled, status }: Live): boolean {
  if (stats.processing > 0 || isBuilding(status)) return true;
  return [...unsettled, ...(batch ? [batch] : [])].some(({ counts }) => counts.queued + counts.running > 0);
}

function isBuilding({ indexes }: RagStatus): boolean {
  return indexes.some(({ state }) => state === "building");
}

/** Which indexes there are, whatever stands in them. */
function statesOf({ indexes }: RagStatus): string {
  return indexes.map(({ id, state }) => `${id} ${state}`).join();
}

function findDocument({ groups }: Live, id: string): Document | undefined {
  for (const { documents } of groups) {
    const found = documents.find((document) => document.id === id);
    if (found) return found;
  }
  return undefined;
}

/** The same groups where nothing was told of them. */
function withChanges(groups: Group[], told: Told | undefined): Group[] {
  if (told?.of !== groups || told.changes.size === 0) return groups;
  return groups.map((group) => ({
    ...group,
    documents: group.documents.map((document) => {
      const change = told.changes.get(document.id);
      return change ? { ...document, ...change } : document;
    }),
  }));
}

function withStep(item: BatchItem, change: Change | undefined): BatchItem {
  const going = item.state === "queued" || item.state === "running";
  return going && change?.progress ? { ...item, ...change.progress } : item;
}
