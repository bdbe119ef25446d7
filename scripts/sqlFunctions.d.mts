/** The functions of the running engines, in lower case. */
export interface Catalogue {
  readonly version: string;
  readonly computing: readonly string[];
  readonly acting: readonly string[];
}
export type CatalogueEngine = "postgres" | "mysql" | "sqlite" | "duckdb";
export function readCatalogues(): Promise<Readonly<Record<CatalogueEngine, Catalogue>>>;
