import type { Document, DocumentCategory } from "../../documents/documents.schema";

/** A category with those of its documents that are shown. */
export interface Group {
  category: DocumentCategory;
  documents: Document[];
  /** The document before the first one shown, where a page begins in the middle. */
  after?: string | undefined;
  next?: string | undefined;
}
