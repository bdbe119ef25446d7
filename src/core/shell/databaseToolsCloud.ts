/** Command lines of hosted databases and clouds that drop or empty databases, as data. Judges nothing. */
import { type DatabaseTool, REPLACES, RESETS, toolRow } from "./databaseTool";

const DRY = /^(?:--dry-run|--dryrun|--dry-run=(?:client|server))$/i;

export const CLOUD_TOOLS: readonly DatabaseTool[] = [
  toolRow("bq", ["(?:rm|truncate)", "(?:query|load|cp|mk) (?:--replace(?:=true)?|-f|--force)"], {
    does: REPLACES,
    dialect: "bigquery",
    unless: /^(?:--dry_run|--dry_run=true)$/,
  }),
  toolRow("turso", ["db destroy", "group destroy", "org destroy"], { does: RESETS, dialect: "sqlite" }),
  toolRow("wrangler", ["d1 delete", "d1 time-travel restore"], {
    does: RESETS,
    dialect: "sqlite",
  }),
  toolRow("wrangler", ["(?:kv|kv:\\w+|r2|vectorize|hyperdrive|queues) (?:delete|purge)"], { does: RESETS }),
  toolRow("heroku", ["pg:(?:reset|push|copy)", "pg:backups:restore", "addons:destroy"], {
    does: RESETS,
    dialect: "postgres",
  }),
  toolRow(
    "supabase",
    ["db reset", "projects delete", "branches delete", "migration down", "stop --no-backup"],
    {
      does: RESETS,
      dialect: "postgres",
    },
  ),
  toolRow("neon|neonctl", ["(?:databases?|branch(?:es)?|projects?|roles?) (?:delete|reset|restore)"], {
    does: RESETS,
  }),
  toolRow("pscale", ["(?:database|branch) delete"], { does: RESETS }),
  toolRow(
    "firebase|firebase-tools",
    ["firestore:(?:delete|databases:delete)", "database:(?:remove|set|update)"],
    { does: REPLACES },
  ),
  toolRow("convex", ["import (?:--replace|--replace-all)"], { does: REPLACES }),
  toolRow(
    "aws",
    [
      "rds (?:delete-db-\\S+|delete-global-cluster|restore-\\S+-in-place)",
      "(?:redshift|docdb|neptune|memorydb|elasticache|dax|timestream-write|keyspaces|qldb) delete-\\S+",
      "(?:redshift-serverless) delete-\\S+",
      "dynamodb (?:delete-\\S+|batch-write-item)",
      "(?:glue|athena) (?:delete-(?:database|table)|batch-delete-\\S+|delete-data-catalog)",
      "opensearch delete-\\S+",
    ],
    { does: RESETS, unless: DRY },
  ),
  toolRow(
    "gcloud",
    [
      "sql (?:databases|instances|backups|users) (?:delete|restore|reset-ssl-config|promote-replica)",
      "(?:spanner|bigtable|firestore|alloydb|redis|memcache) (?:databases|instances|clusters|backups|tables|indexes|operations|backup-schedules) delete",
      "sql import (?:sql|bak)",
    ],
    { does: RESETS },
  ),
  toolRow("cbt", ["(?:deletetable|deletefamily|deleterow|deleteallrows|deletecolumn)"], { does: RESETS }),
  toolRow("az", ["(?:sql|postgres|mysql|mariadb|cosmosdb|redis|synapse) delete", "redis flush"], {
    does: RESETS,
  }),
  toolRow("doctl", ["databases? (?:delete|rm|d)", "databases? (?:db|user|pool|replica) (?:delete|rm)"], {
    does: RESETS,
  }),
  toolRow("fly|flyctl", ["(?:postgres|pg|mpg|redis|volumes?|apps?) (?:destroy|delete)"], { does: RESETS }),
  toolRow("railway", ["(?:down|delete)", "volume delete"], { does: RESETS }),
  toolRow("vercel", ["(?:storage|postgres|integration|blob) (?:rm|remove|delete|del)"], { does: RESETS }),
  toolRow("xata", ["(?:dbs?|branch|workspace) delete", "reset"], { does: RESETS }),
  toolRow("atlas", ["(?:clusters?|deployments?|backups?|projects?) delete"], { does: RESETS }),
  toolRow("ccloud|cockroach", ["cluster delete"], { does: RESETS }),
  toolRow("snow", ["object drop", "stage remove", "(?:database|schema|table) drop"], {
    does: RESETS,
    dialect: "snowflake",
  }),
  toolRow(
    "databricks",
    [
      "(?:tables|schemas|catalogs|volumes|warehouses|metastores|pipelines) delete",
      "(?:fs|workspace) (?:rm|delete)",
    ],
    { does: RESETS },
  ),
  toolRow("pinecone|pc", ["index delete", "delete-index"], { does: RESETS }),
  toolRow("upstash", ["redis delete"], { does: RESETS }),
  toolRow("meilisearch|algolia", ["(?:indices|index) (?:delete|clear)", "objects delete"], {
    does: REPLACES,
  }),
  toolRow("appwrite", ["(?:databases|tablesdb) delete(?:-\\S+)?"], { does: RESETS }),
  toolRow(
    "kubectl|oc",
    [
      "delete (?:cluster|postgresql|postgrescluster|perconapgcluster|mysqlcluster|innodbcluster)s?(?:\\.\\S+)?(?:/.*)?",
    ],
    {
      does: RESETS,
      unless: DRY,
    },
  ),
];
