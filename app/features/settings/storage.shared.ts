/** Part of the database that belongs to one kind of data, with its indexes. */
export interface StorageShare {
  label: string;
  bytes: number;
}

/** A generation of the search index. */
export interface IndexFigures {
  id: string;
  state: string;
  /** Null for keywords only. */
  model: string | null;
  documents: number;
  passages: number;
  /** Of its tables in this database; vectors in Qdrant aren't counted. */
  bytes: number;
}

export interface StorageFigures {
  shares: StorageShare[];
  indexes: IndexFigures[];
  documents: number;
  passages: number;
  measuredAt: string;
}
