import { resolve } from "node:path";
import { vitePlugin as remix } from "@remix-run/dev";
import tailwindcss from "@tailwindcss/vite";
import { defineConfig } from "vite";
import remixConfig from "./remix.config.js";
import { frameworkConstants } from "./scripts/framework-constants.mjs";
import { iconSprite } from "./scripts/icon-sprite.mjs";
import { smallerChunks } from "./scripts/smaller-chunks.mjs";

const FRAMEWORK =
  /\/node_modules\/(?:react|react-dom|scheduler|@remix-run|react-router|react-router-dom|turbo-stream)\/|^\0(?:vite\/preload-helper|commonjsHelpers)/;
/** Parts of app/ui that bring a package of their own or that few screens use: each stays with the screens that use it. */
const HEAVY = /\/app\/ui\/(?:form-fields|server-events|use-restored-focus)\./;
const SHELL =
  /\/app\/(?:root|router-transitions|no-compiled-schemas|routes\/shell\/layout|http\/(?:nonce|page-styles))\.tsx?$|\/app\/styles\.css|\/app\/\w+\/(?:backups\/components\/problem-notice|models\/model-options\.shared)\.|\/app\/\w+\/(?:branding\/(?:components\/brand-head|custom-css\/custom-css\.shared)|chat\/components\/list\/conversation-nav)\.|\/app\/\w+\/(?:chat\/components\/list\/activity-mark|notifications\/components\/bell|events\/components\/(?:use-refetched|use-live-topics|live-topics|shared-stream|split-topics|connection|versions))\.|\/app\/\w+\/(?:shell|palette)\/(?:components\/(?!kbar|use-held-enter|command-list|found-icons|keys|shortcut-list))|\/app\/platform\/(?:catalogue\/screens|rights\/role-labels)\./;

/** Dialogs and toasts, which no page shows at first. */
const LATER = /\/app\/ui\/(?:dialog-box|toast-panel|use-modal)\./;

/** Loaded when something can be typed. */
const TYPED =
  /\/app\/ui\/(?:typed-text|kept-forms|keep-over-reload|unsaved-changes|unsaved-fields|unsaved-notice)\./;

/** Controls of forms, which chat, documents, the builder and the dashboard do without. */
const CONTROLS =
  /\/app\/ui\/(?:choice-list|confirm-dialog|message-dialog|missing-dialog|radio-card|server-form|toggle-button)\./;

/** Controls that mostly stand in dialogs. */
const DIALOG_CONTROLS = /\/app\/ui\/(?:form-dialog|json-import-field|one-time-secret)\./;

/** Tables and results, which usage, runs and tool calls show without the controls of forms. */
const TABLES =
  /\/app\/(?:ui\/(?:call-progress|file-strip|active-filters|pagination|result-shape|result-view|table)|\w+\/tools\/files\/result-files\.shared)\./;

/** Parts of lists of rows, for the screens that have them. */
const ROWS = /\/app\/ui\/(?:row|row-actions|row-selection|row-range)\./;

/** File picking and dropping, shared by chat and documents. */
const FILES = /\/app\/(?:[\w-]+\/)*(?:use-file-drop|add-files)\./;

/** A conversation's messages, and modules loaded with them. */
const MESSAGES =
  /\/app\/\w+\/chat\/(?:components\/(?:conversation-messages|message-view|message-actions|conversation-actions|transfer-links|sharing|answer-footer|route-view|compared-variants|markdown|markdown-tree|markdown-inline|heading-levels|code-block|highlight|formula|plain-text|reasoning|citations|sources-view|attachments\/left-out-images)|markdown\/(?:formula|link-target|tree)\.shared|(?:answer-state|sources|sharing)\.shared)\./;

/** Modules shared by messages and the screen around them. */
const MESSAGE_PARTS =
  /\/app\/\w+\/(?:chat\/attachments\/limits\.shared|chat\/components\/(?:message-parts|markdown-reader|branching|approvals-context|sharing-context)|models\/quoted-passages\.shared)\./;

/** Parts of some messages only. */
const MESSAGE_EXTRAS =
  /\/app\/\w+\/chat\/components\/(?:message-panels|attachments\/(?:message-attachments|image-dialog))\./;

/** A document's state and progress, shared by documents and the dashboard. */
const STATES = /\/app\/(?:[\w-]+\/)*(?:document-status|progress-bar)\./;

/** Modules shared by the lists of documents and a document's page. */
const DOCUMENT_ROWS = /\/app\/(?:[\w-]+\/)*(?:document-row|category-choice|document-type)\./;

/** Modules shared by the lists and dialogs of models. */
const MODELS =
  /\/app\/\w+\/models\/(?:components\/(?:capability-list|format|policies|abilities)|capabilities\.shared)\./;

/** Modules shared by the account's and the members' screens and their dialogs. */
const ACCOUNTS =
  /\/app\/\w+\/(?:members\/(?:components\/(?:form-kit|password-input|gateway-addresses)|(?:member-name|password-length)\.shared)|(?:offboarding\/components\/offboarding-fields|workflows\/components\/paused-workflows))\./;

/** Small modules that several screens share: each would be a request of its own. */
const SMALL =
  /\/app\/(?!ui\/)[\w/-]+\/(?:(?:shown-text|answer-text|effects|role-hints|limits|offline-model)(?:\.(?:schema|shared))?|send-problem|addresses|budget-warnings|sends-message)\./;

/** Chunks with one of these are minified harder: every page's, and those of the heaviest screens. */
const HEAVIEST =
  /\/(?:react-dom|button|shell|chat-screen|composer|rag-screen|builder|add-files|message-parts)\.(?:production|tsx)/;

/**
 * Few files in place of one for each icon and control: a request costs more than the bytes that a screen doesn't use. All
 * icons are in one, as 70 names more are 0.5 KB and half of the screens need nothing else of `controls`.
 */
function chunkOf(id: string): string | undefined {
  if (FRAMEWORK.test(id)) return "framework";
  if (LATER.test(id)) return "later";
  if (TYPED.test(id)) return "typed-text";
  if (CONTROLS.test(id)) return "controls";
  if (DIALOG_CONTROLS.test(id)) return "dialog-controls";
  if (TABLES.test(id)) return "tables";
  if (ROWS.test(id)) return "rows";
  if (FILES.test(id)) return "files";
  if (MESSAGE_PARTS.test(id)) return "message-parts";
  if (MESSAGE_EXTRAS.test(id)) return "message-extras";
  if (MESSAGES.test(id)) return "messages";
  if (STATES.test(id)) return "document-states";
  if (DOCUMENT_ROWS.test(id)) return "document-rows";
  if (MODELS.test(id)) return "models";
  if (ACCOUNTS.test(id)) return "accounts";
  if (id === "\0icons" || SHELL.test(id) || SMALL.test(id) || (id.includes("/app/ui/") && !HEAVY.test(id)))
    return "ui";
  return undefined;
}

export default defineConfig(({ isSsrBuild }) => ({
  plugins: [
    tailwindcss(),
    !process.env.VITEST && [
      iconSprite("app"),
      remix(remixConfig),
      frameworkConstants(remixConfig.future),
      smallerChunks(HEAVIEST),
    ],
  ],
  resolve: { alias: { "~": resolve("app"), "~db": resolve("db") } },
  // Development: Vite looks through the routes for what the browser needs and meets what only the server has.
  optimizeDeps: { exclude: ["@node-rs/argon2", "better-sqlite3"] },
  // Threads load parts of their own, such as a grammar.
  worker: {
    format: "es",
    // JavaScript's grammar asks for that of XML.
    rollupOptions: {
      output: {
        manualChunks: (id) => (/\/languages\/(?:javascript|xml)\./.test(id) ? "javascript" : undefined),
      },
    },
  },
  build: {
    target: "es2022",
    cssMinify: true,
    ...(isSsrBuild
      ? {}
      : { rollupOptions: { output: { manualChunks: chunkOf, onlyExplicitManualChunks: true } } }),
  },
}));
