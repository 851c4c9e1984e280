import { ChevronLeft, ChevronRight, Code, Download, Play, Square, X } from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { withBase } from "~/core/base-path";
import { toDisplayText } from "~/core/well-formed";
import { IconButton } from "~/ui/button";
import { CopyButton } from "~/ui/copy-button";
import { isWide } from "../components/chat-drawer";
import { CodeText } from "../components/highlight";
import { type HtmlPage, useHtmlPage } from "./html-pages";
import type { ShownBlockProps } from "./shown-block";

/** In characters. */
const MAX_PAGE = 500_000;
/** Time limit of the empty frame to load, in ms. */
const LOAD_TIMEOUT = 30_000;
/** A page has nothing to say to the console: one that goes on sending messages keeps it busy. */
const MAX_MESSAGES = 100;

const nameOf = (title: string | undefined) => toDisplayText(title ?? "Page without a title");

/** Whether a message came from the frame or one inside it. */
function isFrom(source: MessageEventSource | null, frame: Window): boolean {
  for (let from = source as Window | null; from && from !== window; from = from.parent)
    if (from === frame) return true;
  return false;
}

interface FrameProps {
  code: string;
  title: string;
  className: string;
  onFailed: (reason: string) => void;
}

/**
 * Runs a page in a frame with an origin of its own: neither the console nor the network is in its reach (the edge sets
 * the frame's policy). Removing the frame ends all that runs in it.
 */
function PageFrame({ code, title, className, onFailed }: FrameProps) {
  const box = useRef<HTMLIFrameElement>(null);
  const failed = useRef(onFailed);
  failed.current = onFailed;
  useEffect(() => {
    let count = 0;
    const timer = setTimeout(() => failed.current("The preview didn't load."), LOAD_TIMEOUT);
    const onMessage = ({ source, data }: MessageEvent<unknown>) => {
      const frame = box.current?.contentWindow;
      if (!frame || !isFrom(source, frame)) return;
      clearTimeout(timer);
      count += 1;
      if (count > MAX_MESSAGES) failed.current("Stopped: the page sent too many messages.");
      else if (source === frame && data === "ready") frame.postMessage(code, "*");
    };
    addEventListener("message", onMessage);
    return () => {
      clearTimeout(timer);
      removeEventListener("message", onMessage);
    };
  }, [code]);
  return (
    <iframe
      ref={box}
      src={withBase("/sandbox/html")}
      sandbox="allow-scripts"
      referrerPolicy="no-referrer"
      title={title}
      className={className}
    />
  );
}

function download({ title, code }: HtmlPage): void {
  const name = title
    ?.toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "");
  const link = document.createElement("a");
  const address = URL.createObjectURL(new Blob([code], { type: "text/html;charset=utf-8" }));
  link.href = address;
  link.download = `${name || "page"}.html`;
  link.click();
  URL.revokeObjectURL(address);
}

const DownloadButton = ({ page }: { page: HtmlPage }) => (
  <IconButton type="button" label="Download as HTML" icon={<Download />} onClick={() => download(page)} />
);

const Notes = () => (
  <p className="border-line border-t px-3 py-1.5 text-muted text-xs">
    Runs apart from the console and loads nothing from other hosts. Don't type secrets into it.
  </p>
);

interface PanelProps {
  page: HtmlPage;
  versions: readonly HtmlPage[];
  onClose: () => void;
}

/** A page beside its conversation, with its versions. */
function Panel({ page, versions, onClose }: PanelProps) {
  const [chosen, setChosen] = useState(page);
  const [stopped, setStopped] = useState<string>();
  const box = useRef<HTMLElement>(null);
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const shown = versions.includes(chosen) ? chosen : page;
  const number = versions.indexOf(shown) + 1;
  const choose = (index: number) => {
    const version = versions[index - 1];
    if (version) setChosen(version);
    setStopped(undefined);
  };
  const isRunning = stopped === undefined;
  return (
    <aside
      ref={box}
      data-beside=""
      aria-label={`Preview of ${nameOf(shown.title)}`}
      tabIndex={-1}
      onKeyDown={(event) => {
        if (event.key === "Escape") onClose();
      }}
      className="fixed top-(--header) right-0 bottom-0 z-20 flex w-(--beside) max-w-full flex-col border-line border-l bg-canvas outline-none print:hidden"
    >
      <header className="flex min-h-12 items-center gap-1 border-line border-b pr-2 pl-4">
        <h2 className="min-w-0 flex-1 truncate text-md">
          <bdi>{nameOf(shown.title)}</bdi>
        </h2>
        {versions.length > 1 && (
          <>
            <IconButton
              type="button"
              label="Previous version"
              icon={<ChevronLeft />}
              aria-disabled={number === 1 || undefined}
              onClick={() => choose(number - 1)}
            />
            <span role="status" className="whitespace-nowrap text-muted text-xs tabular-nums">
              Version {number} of {versions.length}
            </span>
            <IconButton
              type="button"
              label="Next version"
              icon={<ChevronRight />}
              aria-disabled={number === versions.length || undefined}
              onClick={() => choose(number + 1)}
            />
          </>
        )}
        <RunButton isRunning={isRunning} onChange={(runs) => setStopped(runs ? undefined : "")} />
        <DownloadButton page={shown} />
        <CopyButton text={shown.code} label="Copy code" />
        <IconButton type="button" label="Close the preview" icon={<X />} onClick={onClose} />
      </header>
      {isRunning ? (
        <PageFrame
          key={number}
          code={shown.code}
          title={nameOf(shown.title)}
          className="min-h-0 w-full flex-1 bg-paper"
          onFailed={setStopped}
        />
      ) : (
        <div className="prose-qd min-h-0 flex-1 overflow-y-auto overscroll-contain bg-sunken">
          {stopped && (
            <p role="status" className="px-3 pt-2 text-muted text-xs">
              {stopped}
            </p>
          )}
          <CodeText code={shown.code} name="html" />
        </div>
      )}
      {isRunning && <Notes />}
    </aside>
  );
}

function RunButton({ isRunning, onChange }: { isRunning: boolean; onChange: (runs: boolean) => void }) {
  return (
    <IconButton
      type="button"
      label={isRunning ? "Stop and show the code" : "Preview"}
      icon={isRunning ? <Square /> : <Play />}
      onClick={() => onChange(!isRunning)}
    />
  );
}

/** A block of HTML as its code, with a preview that a person opens: beside the conversation in a wide window, else in place. */
export function HtmlBlock({ name, code, children }: ShownBlockProps) {
  const block = useRef<HTMLElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const { page, versions, isRunning, run, stop } = useHtmlPage(block, code);
  const [isBeside, setBeside] = useState(false);
  const [reason, setReason] = useState<string>();
  const isHere = isRunning && !isBeside;
  const number = page ? versions.indexOf(page) + 1 : 0;
  const start = () => {
    setReason(undefined);
    setBeside(isWide());
    run();
  };
  const end = (why?: string) => {
    setReason(why);
    stop();
    opener.current?.focus({ preventScroll: true });
  };
  const label: ReactNode = (
    <>
      {name}
      {page?.title && (
        <>
          {" · "}
          <bdi>{toDisplayText(page.title)}</bdi>
        </>
      )}
      {versions.length > 1 && ` · version ${number} of ${versions.length}`}
      {reason && <span role="status">{` · ${reason}`}</span>}
    </>
  );
  return (
    <figure ref={block} className="overflow-hidden rounded-md border border-line bg-sunken">
      <figcaption className="flex min-h-9 items-center gap-1 border-line border-b pr-1 pl-3 text-muted text-xs">
        <span className="wrap-anywhere min-w-0 flex-1 py-1">{label}</span>
        {page && code.length <= MAX_PAGE && (
          <IconButton
            ref={opener}
            type="button"
            label={isHere ? "Stop and show the code" : "Preview"}
            icon={isHere ? <Code /> : <Play />}
            onClick={isHere ? () => end() : start}
          />
        )}
        {page && <DownloadButton page={page} />}
        <CopyButton text={code} label="Copy code" />
      </figcaption>
      {isHere && page ? (
        <>
          <PageFrame
            code={code}
            title={nameOf(page.title)}
            className="block h-[min(32rem,70dvh)] w-full bg-paper"
            onFailed={end}
          />
          <Notes />
        </>
      ) : (
        children
      )}
      {page &&
        isRunning &&
        isBeside &&
        createPortal(<Panel page={page} versions={versions} onClose={() => end()} />, document.body)}
    </figure>
  );
}
