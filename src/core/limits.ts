/**
 * Every bound of the process in one place, unit in the name. Those a user may change are named in config/; the rest
 * are contracts of the formats or protect memory.
 */
export const limits = {
  // admin and metrics
  adminRequestTimeoutMs: 10_000,
  maxAdminConnections: 64,
  maxLabelsPerCounter: 500,

  // statements and shapes
  maxStatementBytes: 64 * 1024,
  minSimilarityTokens: 8,
  similarityThreshold: 0.6,
  maxSimilarityCandidates: 32,
  /** Newest records of a bucket looked at for candidates; the rest are too old to be worth a slower error. */
  maxSimilarityScanned: 256,
  maxSimilarityTokens: 2_000,
  /** Failures / (failures + successes) from which a data-dependent record speaks before a statement runs. */
  preflightHazardThreshold: 0.5,
  maxCachedShapes: 5_000,
  maxCachedShapeTextBytes: 4 * 1024,
  /** Texts and shapes held by one shaper's cache, in UTF-16 units. */
  maxShapeCacheUnits: 8 * 1024 * 1024,
  /** Deeper parentheses are written as they are, without lists in them being looked at. */
  maxShapeDepth: 128,
  /** Lists within lists whose equal items are dropped: bounds the work on nested lists. */
  maxShapeListDepth: 4,
  maxDistinctListItems: 64,
  maxMultiStatements: 256,
  /** Documents within documents that a command's shape looks into (MongoDB). */
  maxCommandDepth: 180,
  /** Longest key of a document, or name in it, that a shape keeps; longer ones are taken for values. */
  maxShownKeyLength: 120,
  maxCachedKeyTokens: 10_000,
  maxBulkNamespaces: 10_000,
  maxTablesPerStatement: 64,

  // SQL on documents
  /** Expressions within expressions. */
  maxSqlDepth: 128,
  /** What the parser gets of a statement, names and values being numbers there: it takes about 20 us for each unit. */
  maxSqlParsedUnits: 16 * 1024,
  maxCachedSqlTrees: 200,

  // a session
  /**
   * What is kept of statements sent and not answered: texts, names and about 16 bytes a message. A client that sends
   * without reading gets the sockets' buffers to hold a million answers.
   */
  maxExpectedReplyBytes: 64 * 1024 * 1024,
  maxPreparedStatements: 4_096,
  maxPreparedTextBytes: 4 * 1024 * 1024,
  maxPortals: 4_096,
  maxPendingSuccesses: 64,
  /** Requests of one connection that are not answered (MongoDB, where answers are found by their request's id). */
  maxRequestsInFlight: 10_000,
  /** Failures of one reply that are looked at; the rest are counted (MongoDB: a batch may fail once for each document). */
  maxFailuresPerReply: 64,
  /** Transactions of one connection remembered as given up, or as having changed the schema (MongoDB). */
  maxKnownTransactions: 16,
  /** Databases of one connection whose scope is kept (MongoDB names one in every command). */
  maxKnownDatabases: 16,
  maxOpenFailures: 16,
  maxOpenFailureStatements: 50,
  maxOpenFailureMs: 10 * 60_000,
  maxNotesPerRecordPerSession: 3,
  contradictionsBeforeReview: 3,
  /** Writes of all sessions remembered as failed, so that a driver's own retry counts as the same failure. */
  maxRetriedWrites: 1_000,
  /** Records whose notes a session keeps count of; beyond, the oldest count starts anew. */
  maxNotedRecordsPerSession: 256,
  /** Successes of one database kept until its schema is known again. */
  maxDeferredSuccesses: 256,

  // frames
  maxErrorFrameBytes: 128 * 1024,
  /** Longest statement, portal or parameter name read from a frame that the network cut. */
  maxNameBytes: 4 * 1024,
  /** Query attributes read before the text of a statement that the network cut (MySQL). */
  maxQueryAttributeBytes: 4 * 1024,
  maxCancelKeyBytes: 512,
  /** PostgreSQL drops a longer startup packet (src/include/libpq/pqcomm.h, MAX_STARTUP_PACKET_LENGTH). */
  maxStartupPacketBytes: 10_000,
  maxFrameBytes: 0x7fff_ffff,
  /** MongoDB's maxMessageSizeBytes. */
  maxMessageBytes: 48_000_000,
  /** MongoDB's maxBsonObjectSize, with the room that servers give themselves for a reply. */
  maxDocumentBytes: 16 * 1024 * 1024 + 16 * 1024,
  /**
   * What the compressed requests of one read from a socket may come to (MongoDB): they are decompressed in one go, while
   * other sessions wait, and 64 KiB of them may come to hundreds of times as much.
   */
  maxDecompressedBytesPerRead: 8 * 1024 * 1024,
  /** Beginning of a request that is kept until it is answered (MongoDB). */
  maxKeptRequestBytes: 1024 * 1024,
  /** Longest reply that the network cut which waits for its last byte, because a note may have to go into it (MongoDB). */
  maxHeldReplyBytes: 1024 * 1024,
  /** Kept of the top-level elements of a longer reply (MongoDB). */
  maxReplySummaryBytes: 16 * 1024,

  // notes
  maxShortNoteBytes: 200,
  maxLongNoteBytes: 400,
  maxSuggestedNames: 5,
  maxNameLength: 63,
  maxNameCandidates: 10_000,

  // memory
  maxRecords: 2_000_000,
  maxQueuedEvents: 10_000,
  maxDetailBytes: 512,
  /** A shape of a statement at its bound, every token spaced and escaped, still fits. */
  maxRecordLineBytes: 1024 * 1024,
  observationFlushMs: 5_000,
  fsyncIntervalMs: 1_000,
  maxStoreBatchEvents: 1_000,
  storeRetryMinMs: 100,
  storeRetryMaxMs: 30_000,
  storeReadChunkBytes: 1024 * 1024,
  /** Bytes of observations and feedback in the log from which merging them is considered. */
  compactMinBytes: 16 * 1024 * 1024,
  lockHeartbeatMs: 5_000,
  /** A lock of a process that cannot be looked up is dead once its heartbeat is this old. */
  lockStaleMs: 30_000,
  maxFailuresAwaitingCatalog: 256,
  maxAwaitCatalogMs: 10_000,

  // catalog
  maxPolledDatabases: 64,
  /** Databases that one session has watched at a time, and how long one is kept from the turn of another. */
  maxCatalogsPerSession: 4,
  catalogTurnMs: 10_000,
  catalogProbeMs: 1_000,
  catalogDebounceMs: 100,
  /** Longest message other than a row that the catalog connection reads. */
  maxCatalogFrameBytes: 1024 * 1024,
  catalogStatementTimeoutMs: 30_000,
  catalogBackoffMinMs: 250,
  catalogBackoffMaxMs: 60_000,
  /** A read may take one part in so many of the time. */
  catalogReadRest: 5,
  /** And one in so many from this many reads on that a probe asked for and that found nothing new. */
  catalogFalseAlarms: 3,
  catalogFalseAlarmRest: 60,
  /** Longest time a model is believed on a probe that cannot see how a change ends. */
  catalogRereadMs: 5 * 60_000,
  /** How long the catalog's connection outlives the last session; the server waits 5 s for it in DROP DATABASE. */
  catalogLingerMs: 250,
  /** Tables hashed, and rows sorted into them, before other work gets its turn. */
  catalogTablesPerSlice: 50,
  catalogRowsPerSlice: 2_000,
  maxCatalogTables: 100_000,
  /** What one answer to the catalog connection may hold (MySQL): a server is read as a whole. */
  maxCatalogRows: 2_000_000,
  maxCatalogAnswerBytes: 512 * 1024 * 1024,
  /** One answer to the catalog connection (MongoDB): a batch of a cursor is a document. */
  maxCatalogMessageBytes: 17 * 1024 * 1024,
  catalogBatchDocuments: 1_000,
  /** Fields taken from one collection's $jsonSchema, and how deep they may lie. */
  maxCatalogSchemaFields: 1_000,
  maxCatalogSchemaDepth: 8,
  /** Longer texts of a declaration are kept as their hash. */
  maxCatalogDefinitionLength: 2_000,
  catalogReadyWaitMs: 15_000,
  catalogCloseMs: 2_000,
  maxCachedOutsideTables: 1_000,
  maxCachedSimilarTables: 256,

  // sockets
  maxConnectionsPerListener: 1_000,
  handshakeTimeoutMs: 60_000,
  connectTimeoutMs: 10_000,
  keepAliveInitialDelayMs: 60_000,
  writeBufferHighWaterBytes: 256 * 1024,
  drainTimeoutMs: 30_000,
  /** How long a peer may take to close after we have sent it everything. */
  lingerMs: 5_000,
  /**
   * Client bytes read after the upstream began to be connected and before the session is relayed; beyond it the client
   * is not read. More than the longest packet of a login: one that is awaited must come in whole.
   */
  maxHandshakeBacklogBytes: 192 * 1024,
  /** One packet of a MySQL login: servers take 64 KiB of connection attributes, and tickets of authentication plugins. */
  maxLoginPacketBytes: 128 * 1024,
  /**
   * A MongoDB client's first request up to which it is awaited whole, so that it can be answered or sent again: a `hello`
   * with a token inside. A longer one is passed on as it comes.
   */
  maxFirstRequestBytes: 64 * 1024,
  /** TLS that may be done without: servers that have none may wait for the rest of a ClientHello for ever (MongoDB). */
  optionalTlsTimeoutMs: 3_000,
  /** How long sessions begin with the kind of connection that the server took after it turned the other one away. */
  believedServerLegMs: 5 * 60_000,
  /** Connections over a listener's limit that are being told so; beyond it they are closed without a word. */
  maxRefusingConnections: 64,
  /** One frame of the authentication exchange; libpq stops at 30,000 too. */
  maxAuthenticationFrameBytes: 30_000,
  /** PBKDF2 rounds an upstream may ask of us: each costs the event loop. */
  maxScramIterations: 1_000_000,
} as const;
