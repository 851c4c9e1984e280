import { Link, useFetcher, useLocation, useRevalidator, useSubmit } from "@remix-run/react";
import { Check, FolderInput, FolderMinus, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { type ReactNode, type RefObject, useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { toDisplayText } from "~/core/well-formed";
import { useBrowserLayout } from "~/ui/hydration";
import { MENU_ROW, MenuLabel, MenuLink, MenuSeparator, stepThrough } from "~/ui/menu";
import { useInPlace } from "~/ui/sending";
import { keepInCookie, readFromCookie } from "~/ui/tab-storage";
import { useRestoredFocus } from "~/ui/use-restored-focus";
import { FOLDERS_COOKIE, withFolder } from "../../chat-choices.shared";
import type { ConversationNavigation, ListedConversation } from "../../list/list.schema";
import { ShareItem } from "../share-item";

type Change = (values: Record<string, string>) => void;

interface RowProps {
  icon: ReactNode;
  checked?: boolean;
  onPress: () => void;
  children: ReactNode;
}

function Row({ icon, checked, onPress, children }: RowProps) {
  return (
    <button type="button" aria-current={checked || undefined} onClick={onPress} className={MENU_ROW}>
      {icon}
      {children}
    </button>
  );
}

/** Between a menu and the window's edge, in pixels. */
const GAP = 8;

interface OpenMenu {
  conversation: ListedConversation;
  /** Of its corner in the window, in pixels. */
  at: { x: number; y: number };
}

interface MenuProps extends OpenMenu {
  folders: ConversationNavigation["folders"];
  onChange: Change;
  onRename: () => void;
  onClose: () => void;
}

/** A conversation's actions, above all else, so that no list cuts them off. */
function ConversationMenu({ conversation, at, folders, onChange, onRename, onClose }: MenuProps) {
  const { id, pinned, folderId } = conversation;
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<Element | null>(null);
  const close = useRef(onClose);
  close.current = onClose;
  useBrowserLayout(() => {
    const element = box.current;
    if (!element) return;
    opener.current = document.activeElement;
    element.showPopover();
    const { width, height } = element.getBoundingClientRect();
    element.style.left = `${Math.max(GAP, Math.min(at.x, window.innerWidth - width - GAP))}px`;
    element.style.top = `${Math.max(GAP, Math.min(at.y, window.innerHeight - height - GAP))}px`;
    element.querySelector<HTMLElement>("button")?.focus({ preventScroll: true });
    // Not `popover="auto"`: the release of the right button that opened it would close it.
    const onPointerDown = ({ target }: PointerEvent) => {
      if (!(target instanceof Node && element.contains(target))) close.current();
    };
    document.addEventListener("pointerdown", onPointerDown);
    return () => document.removeEventListener("pointerdown", onPointerDown);
  }, [at]);
  const leave = () => {
    if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
    onClose();
  };
  const choose = (act: () => void) => () => {
    leave();
    act();
  };
  const moveTo = (folder: string) => choose(() => onChange({ intent: "move", ids: id, folderId: folder }));
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its rows take the keys.
    <div
      ref={box}
      {...{ popover: "manual" }}
      data-conversation-menu=""
      onClick={({ target }) => {
        if (target instanceof Element && target.closest("a")) leave();
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === "Escape") leave();
        else if (event.key === "ArrowDown") stepThrough(event.currentTarget, 1);
        else if (event.key === "ArrowUp") stepThrough(event.currentTarget, -1);
        else return;
        event.preventDefault();
      }}
      className="enter fixed inset-auto m-0 max-h-[calc(100dvh-1rem)] w-56 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-lg border-0 bg-raised p-1 text-ink shadow-float"
    >
      <Row icon={<Pencil />} onPress={choose(onRename)}>
        Rename
      </Row>
      <Row
        icon={pinned ? <PinOff /> : <Pin />}
        onPress={choose(() => onChange({ intent: pinned ? "unpin" : "pin", ids: id }))}
      >
        {pinned ? "Unpin" : "Pin"}
      </Row>
      <ShareItem id={id} />
      <MenuSeparator />
      <MenuLabel>Move to folder</MenuLabel>
      <div className="max-h-44 overflow-y-auto">
        {folders.map((folder) => (
          <Row
            key={folder.id}
            icon={folder.id === folderId ? <Check /> : <FolderInput />}
            checked={folder.id === folderId}
            onPress={moveTo(folder.id)}
          >
            <span dir="auto" className="min-w-0 truncate">
              {toDisplayText(folder.name)}
            </span>
          </Row>
        ))}
        {folderId !== null && (
          <Row icon={<FolderMinus />} onPress={moveTo("")}>
            No Folder
          </Row>
        )}
        <MenuLink to="/chat/all?dialog=new-folder" icon={<FolderInput />}>
          New Folder…
        </MenuLink>
      </div>
      <MenuSeparator />
      <Row icon={<Trash2 />} onPress={choose(() => onChange({ intent: "delete", ids: id }))}>
        Delete
      </Row>
    </div>
  );
}

interface TitleFieldProps extends Pick<ListedConversation, "id" | "title"> {
  onRename: Change;
  /** @param restoresFocus whether the focus was in the field */
  onClose: (restoresFocus: boolean) => void;
}

/** Saves with Enter or when one leaves it; Escape leaves the title as it was. */
function TitleField({ id, title, onRename, onClose }: TitleFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  const end = (saves: boolean, byKey: boolean) => {
    if (isDone.current) return;
    isDone.current = true;
    const typed = field.current?.value.trim() ?? "";
    if (saves && typed !== "" && typed !== title) onRename({ intent: "rename", id, title: typed });
    onClose(byKey);
  };
  return (
    <input
      ref={field}
      data-title-field=""
      aria-label="Title"
      defaultValue={title}
      maxLength={200}
      autoComplete="off"
      dir="auto"
      onBlur={() => end(true, false)}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || (event.key !== "Enter" && event.key !== "Escape")) return;
        event.preventDefault();
        end(event.key === "Enter", true);
      }}
      className="absolute inset-0 z-10 w-full rounded-md border border-edge bg-sunken px-2 text-ink text-sm"
    />
  );
}

/** Pause in typing after which a search is sent, in ms. */
const PAUSE = 200;

const FOUND_ROW =
  "flex min-h-8 items-center rounded-md px-2.5 py-1 text-muted hover:bg-hover hover:text-ink focus-visible:outline-offset-[-2px] pointer-coarse:min-h-11";

/** The newest conversations whose title or messages have all words. */
function FoundConversations({ query }: { query: string }) {
  const { load, data, state } = useFetcher<{ found: { id: string; title: string }[] }>();
  const [asked, setAsked] = useState("");
  const q = query.trim();
  useEffect(() => {
    const timer = setTimeout(() => {
      setAsked(q);
      load(`/chat/navigation?q=${encodeURIComponent(q)}`);
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [q, load]);
  const rows = asked === "" ? undefined : data?.found;
  return (
    <div aria-busy={state !== "idle"}>
      <p role="status" className="px-2.5 pt-2 pb-1 font-medium text-muted text-xs">
        {rows === undefined ? "Searching…" : rows.length === 0 ? "Nothing found" : "Found"}
      </p>
      <ul aria-label="Conversations found">
        {rows?.map(({ id, title }) => (
          <li key={id}>
            <Link to={`/chat/${id}`} title={toDisplayText(title)} className={FOUND_ROW}>
              <span dir="auto" className="min-w-0 flex-1 truncate text-start">
                {toDisplayText(title)}
              </span>
            </Link>
          </li>
        ))}
        <li>
          <Link to={`/chat/all?q=${encodeURIComponent(q)}`} className={`${FOUND_ROW} text-xs`}>
            Show Messages Found
          </Link>
        </li>
      </ul>
    </div>
  );
}

/** What is dragged within the page. */
const DRAGGED = "application/x-conversation";

interface ToolsProps extends ConversationNavigation {
  /** The list in the side navigation, whose rows are links that work without this. */
  box: RefObject<HTMLElement>;
  /** What was pressed before this had loaded. */
  pressed: true | HTMLElement;
}

/** Menus, dragging, renaming and searching in the list of conversations. */
export function ConversationTools({ box, pressed, conversations, folders }: ToolsProps) {
  const { pathname } = useLocation();
  const submit = useSubmit();
  const { send } = useInPlace();
  const { revalidate } = useRevalidator();
  const [menu, setMenu] = useState<OpenMenu>();
  const [renamed, setRenamed] = useState<{ conversation: ListedConversation; row: Element }>();
  const [query, setQuery] = useState("");
  useRestoredFocus(box, conversations);

  const change: Change = (values) => {
    const leaves = values.intent === "delete" && pathname === `/chat/${values.ids}`;
    if (!leaves) return send(values, "/chat/all");
    // As of a dialog, so that the answer's address takes the place of this one.
    const action = `/chat/all?dialog=actions&id=${values.ids}`;
    submit({ ...values, returnTo: "/chat" }, { method: "post", action });
  };
  const toggle = (id: string, isOpen: boolean) => {
    keepInCookie(FOLDERS_COOKIE, withFolder(readFromCookie(FOLDERS_COOKIE), id, isOpen));
    revalidate();
  };
  const rowOf = (conversation: ListedConversation) =>
    box.current?.querySelector<HTMLElement>(
      `[data-row="${CSS.escape(conversation.id)}"][data-period="${conversation.period}"]`,
    );
  const conversationAt = (target: Element) => {
    const row = target.closest<HTMLElement>("[data-row]");
    return conversations.find(({ id, period }) => id === row?.dataset.row && period === row.dataset.period);
  };

  const onClick = (event: MouseEvent, target: Element) => {
    const tool = target.closest<HTMLElement>("[data-tool]");
    if (!tool || event.metaKey || event.ctrlKey || event.shiftKey) return;
    const { left, bottom } = tool.getBoundingClientRect();
    const conversation = conversationAt(tool);
    const folder = tool.closest<HTMLElement>("[data-drop]")?.dataset.drop;
    if (conversation) setMenu({ conversation, at: { x: left, y: bottom + 4 } });
    else if (folder) toggle(folder, tool.getAttribute("aria-expanded") !== "true");
    else return;
    event.preventDefault();
  };
  const onContextMenu = (event: MouseEvent, target: Element) => {
    const conversation = conversationAt(target);
    // With Shift the browser's own, as for any link.
    if (!conversation || event.shiftKey) return;
    event.preventDefault();
    const { left, bottom } = target.getBoundingClientRect();
    // Keys have no place.
    const isByKey = event.clientX === 0 && event.clientY === 0;
    setMenu({ conversation, at: isByKey ? { x: left, y: bottom } : { x: event.clientX, y: event.clientY } });
  };
  const mark = (target: Element | null | undefined) => {
    for (const one of box.current?.querySelectorAll("[data-target]") ?? [])
      one.removeAttribute("data-target");
    target?.setAttribute("data-target", "");
  };
  const onDrag = (event: DragEvent, target: Element) => {
    const { type, dataTransfer } = event;
    if (!dataTransfer) return;
    const conversation = conversationAt(target);
    if (type === "dragstart" && conversation) dataTransfer.setData(DRAGGED, conversation.id);
    const place = target.closest<HTMLElement>("[data-drop]");
    mark(type === "dragover" && dataTransfer.types.includes(DRAGGED) ? place : undefined);
    if (!place || (type !== "dragover" && type !== "drop") || !dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    if (type === "drop")
      change({ intent: "move", ids: dataTransfer.getData(DRAGGED), folderId: place.dataset.drop ?? "" });
  };
  const find = (field: HTMLInputElement) => {
    setQuery(field.value.trim());
    box.current?.toggleAttribute("data-searching", field.value.trim() !== "");
  };
  const latest = useRef<(event: Event) => void>();
  latest.current = (event) => {
    const { target } = event;
    if (!(target instanceof Element)) return;
    if (event instanceof DragEvent) onDrag(event, target);
    else if (event.type === "click") onClick(event as MouseEvent, target);
    else if (event.type === "contextmenu") onContextMenu(event as MouseEvent, target);
    else if (target instanceof HTMLInputElement && target.type === "search") {
      if (event.type === "input") find(target);
      else if ((event as KeyboardEvent).key === "Escape" && query !== "") {
        event.preventDefault();
        target.value = "";
        find(target);
      }
    }
  };
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const listener = (event: Event) => latest.current?.(event);
    for (const type of "click contextmenu dragstart dragover dragleave dragend drop input keydown".split(" "))
      box.current?.addEventListener(type, listener, { signal });
    const field = box.current?.querySelector<HTMLInputElement>("input[type=search]");
    // Typed before this had loaded.
    field?.dispatchEvent(new Event("input", { bubbles: true }));
    return () => controller.abort();
  }, [box]);
  useEffect(() => {
    if (pressed !== true && pressed.isConnected) pressed.click();
  }, [pressed]);

  const place = box.current?.querySelector("[data-found]");
  return (
    <>
      {menu && (
        <ConversationMenu
          key={`${menu.conversation.id} ${menu.at.x} ${menu.at.y}`}
          {...menu}
          folders={folders}
          onChange={change}
          onRename={() => {
            const row = rowOf(menu.conversation);
            if (row) setRenamed({ conversation: menu.conversation, row });
          }}
          onClose={() => setMenu(undefined)}
        />
      )}
      {renamed?.row.isConnected &&
        createPortal(
          <TitleField
            {...renamed.conversation}
            onRename={change}
            onClose={(restoresFocus) => {
              setRenamed(undefined);
              if (restoresFocus) rowOf(renamed.conversation)?.querySelector("a")?.focus();
            }}
          />,
          renamed.row,
        )}
      {query !== "" && place && createPortal(<FoundConversations query={query} />, place)}
    </>
  );
}
