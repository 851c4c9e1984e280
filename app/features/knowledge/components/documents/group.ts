import type { Document, DocumentCategory } from "../../documents/documents.schema";

export interface Group {
  category: DocumentCategory;
  documents: Document[];
  /** The document before the first one shown, on later pages. */
  after?: string | undefined;
  next?: string | undefined;
}
