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
  /** Tables in this database, without Qdrant's vectors. */
  bytes: number;
}

export interface StorageFigures {
  shares: StorageShare[];
  indexes: IndexFigures[];
  documents: number;
  passages: number;
  measuredAt: string;
}
