BEGIN TRANSACTION;
CREATE TABLE app_errors (
    person TEXT NOT NULL, app TEXT NOT NULL, id TEXT NOT NULL, type TEXT NOT NULL, message TEXT NOT NULL, stack TEXT NOT NULL,
    release TEXT NOT NULL, origin TEXT NOT NULL, n INTEGER NOT NULL, first_ms INTEGER NOT NULL, last_ms INTEGER NOT NULL,
    PRIMARY KEY (person, app, id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE consents (
    person TEXT NOT NULL, caller TEXT NOT NULL, provider TEXT NOT NULL, capability TEXT NOT NULL, id TEXT NOT NULL UNIQUE,
    answer TEXT NOT NULL, at_ms INTEGER NOT NULL, PRIMARY KEY (person, caller, provider, capability)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE counters (name TEXT PRIMARY KEY, n INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "counters" VALUES('jobs',12);
CREATE TABLE deleted_rooms (room TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL, key TEXT NOT NULL, type TEXT NOT NULL, reason TEXT NOT NULL,
    message TEXT NOT NULL, round TEXT NOT NULL, from_state TEXT, to_state TEXT
  ) STRICT;
INSERT INTO "events" VALUES(1,1795685341595,'Grant/atas','Normal','ReferenceMissing','waits for the app caderno','mwxcos9m-1',NULL,'waiting');
INSERT INTO "events" VALUES(2,1795685342219,'Cluster/aqui','Normal','Reachable','jobs run confined by bubblewrap','mwxcos9m-2',NULL,'reachable');
INSERT INTO "events" VALUES(3,1795685342312,'Portal/casa','Normal','Listening','','mwxcos9m-3',NULL,'listening');
INSERT INTO "events" VALUES(4,1795685342454,'Package/caderno-casa','Normal','Installing','version 1.0.0','mwxcos9m-4',NULL,'installing');
INSERT INTO "events" VALUES(5,1795685342455,'Package/moinho-casa','Normal','Installing','version 1.0.0','mwxcos9m-5',NULL,'installing');
INSERT INTO "events" VALUES(6,1795685342456,'Package/notas-casa','Normal','Installing','version 1.0.0','mwxcos9m-6',NULL,'installing');
INSERT INTO "events" VALUES(7,1795685343033,'Person/ana','Normal','Provisioned','','mwxcos9m-a',NULL,'present');
INSERT INTO "events" VALUES(8,1795685343033,'Supervisor/ana','Normal','SupervisorStarting','','mwxcos9m-b',NULL,'starting');
INSERT INTO "events" VALUES(9,1795685344292,'Server/casa','Normal','Reachable','','mwxcos9m-i',NULL,'ready');
INSERT INTO "events" VALUES(10,1795685344586,'Backend/ana/caderno','Warning','SupervisorStarting','the supervisor of ana is not up yet','mwxcos9m-s',NULL,'unknown');
INSERT INTO "events" VALUES(11,1795685344587,'Backend/ana/moinho','Warning','SupervisorStarting','the supervisor of ana is not up yet','mwxcos9m-t',NULL,'unknown');
INSERT INTO "events" VALUES(12,1795685344588,'Backend/ana/notas','Warning','SupervisorStarting','the supervisor of ana is not up yet','mwxcos9m-u',NULL,'unknown');
INSERT INTO "events" VALUES(13,1795685344589,'Grant/atas','Normal','Granting','1 to change in the room Atas da casa','mwxcos9m-y','waiting','granting');
INSERT INTO "events" VALUES(14,1795685344590,'Package/caderno-casa','Normal','Installed','version 1.0.0','mwxcos9m-z','installing','installed');
INSERT INTO "events" VALUES(15,1795685344595,'Grant/atas','Normal','Granted','in the room Atas da casa of caderno','mwxcos9m-11','granting','granted');
INSERT INTO "events" VALUES(16,1795685344600,'Package/moinho-casa','Normal','Installed','version 1.0.0','mwxcos9m-15','installing','installed');
INSERT INTO "events" VALUES(17,1795685344600,'Package/notas-casa','Normal','Installed','version 1.0.0','mwxcos9m-19','installing','installed');
INSERT INTO "events" VALUES(18,1795685345149,'Backend/ana/caderno','Normal','NeverStarted','was never started','mwxcos9m-1d','unknown','stopped');
INSERT INTO "events" VALUES(19,1795685345158,'Backend/ana/moinho','Normal','NeverStarted','was never started','mwxcos9m-1e','unknown','stopped');
INSERT INTO "events" VALUES(20,1795685345160,'Backend/ana/notas','Normal','NeverStarted','was never started','mwxcos9m-1f','unknown','stopped');
INSERT INTO "events" VALUES(21,1795685345160,'Supervisor/ana','Normal','Provisioned','','mwxcos9m-1g','starting','up');
INSERT INTO "events" VALUES(22,1795685345466,'Job/ji1p2m78bt7stj9mibgh9','Normal','JobHeld','waits for its turn on aqui','mwxcos9m-1h',NULL,'em-espera');
INSERT INTO "events" VALUES(23,1795685345491,'Job/ji1p2m78bt7stj9mibgh9','Normal','JobSubmitting','is handed to aqui','mwxcos9m-1j','em-espera','a-submeter');
INSERT INTO "events" VALUES(24,1795685345883,'Job/ji1p2m78bt7stj9mibgh9','Normal','NotObservedYet','the jobs of aqui are being read','mwxcos9m-1l','a-submeter','desconhecido');
INSERT INTO "events" VALUES(25,1795685345906,'Job/ji1p2m78bt7stj9mibgh9','Normal','JobRunning','on aqui','mwxcos9m-1m','desconhecido','a-correr');
INSERT INTO "events" VALUES(26,1795685346381,'Job/ji1p2m78bt7stj9mibgh9','Normal','JobCollecting','its outputs come in','mwxcos9m-1u','a-correr','a-recolher');
INSERT INTO "events" VALUES(27,1795685346383,'Job/ji1p2m78bt7stj9mibgh9','Normal','JobDone','exit code 0','mwxcos9m-1w','a-recolher','terminado');
CREATE TABLE in_force (name TEXT PRIMARY KEY, leaving INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "in_force" VALUES('Cluster/aqui',0,'{"document":{"apiVersion":"svc/v1","kind":"Cluster","metadata":{"name":"aqui"},"spec":{"scheduler":{"local":{}},"emVoo":2,"limites":{"cpus":2,"memoriaMb":2000,"segundos":3600}}},"place":{"file":"clusters.yaml","line":4,"column":19},"digest":"26012ff897d108ce4d38dba05670f808c0f33027fe879a1004d8a0b357b21c64","generation":1}');
INSERT INTO "in_force" VALUES('Grant/atas',0,'{"document":{"apiVersion":"svc/v1","kind":"Grant","metadata":{"name":"atas"},"spec":{"app":"caderno","sala":"Atas da casa","dona":"ana","grupos":[{"grupo":"editores","papel":"editar"}]}},"place":{"file":"rooms.yaml","line":4,"column":19},"digest":"c598bb8f02288b5aa35eb1cfa02877ff59a294fa9e1a12733b24974c245781b7","generation":1}');
INSERT INTO "in_force" VALUES('Package/caderno-casa',0,'{"document":{"apiVersion":"svc/v1","kind":"Package","metadata":{"name":"caderno-casa"},"spec":{"app":"caderno","versao":"1.0.0","server":"casa"}},"place":{"file":"packages.yaml","line":8,"column":19},"digest":"6f85c2123adc734447d5adef50e6f8eddcd0863a56b9bba31b953a243f2f8c13","generation":1}');
INSERT INTO "in_force" VALUES('Package/moinho-casa',0,'{"document":{"apiVersion":"svc/v1","kind":"Package","metadata":{"name":"moinho-casa"},"spec":{"app":"moinho","versao":"1.0.0","server":"casa"}},"place":{"file":"packages.yaml","line":13,"column":19},"digest":"745375bc544b2871138eb761c7a139e2e7fe18ac9a94819702bca3e852314beb","generation":1}');
INSERT INTO "in_force" VALUES('Package/notas-casa',0,'{"document":{"apiVersion":"svc/v1","kind":"Package","metadata":{"name":"notas-casa"},"spec":{"app":"notas","versao":"1.0.0","server":"casa"}},"place":{"file":"packages.yaml","line":3,"column":19},"digest":"1b0924968a037e765be5c52c96042adef3a1b25c332dcac18048a22f0f35ae0a","generation":1}');
INSERT INTO "in_force" VALUES('Person/ana',0,'{"document":{"apiVersion":"svc/v1","kind":"Person","metadata":{"name":"ana"},"spec":{"nome":"Ana Souza","login":"ana","server":"casa","grupos":["editores"]}},"place":{"file":"casa.yaml","line":8,"column":19},"digest":"ecb4fd925456f96d03eca8a7c03b379e7162884363f9cf3e4cf6b9275a022c82","generation":1}');
INSERT INTO "in_force" VALUES('Person/bia',0,'{"document":{"apiVersion":"svc/v1","kind":"Person","metadata":{"name":"bia"},"spec":{"nome":"Bia Lima","login":"bia","server":"casa"}},"place":{"file":"casa.yaml","line":13,"column":19},"digest":"33344b7a944bce710219fcf03f39f522bef8dda0b6e9247be929fcbffd934d78","generation":1}');
INSERT INTO "in_force" VALUES('Portal/casa',0,'{"document":{"apiVersion":"svc/v1","kind":"Portal","metadata":{"name":"casa"},"spec":{"repository":"/tmp/recorded/apps","fila":{"clusters":["aqui"]}}},"place":{"file":"portal.yaml","line":3,"column":19},"digest":"b79ccf1f258de3c5f428d224dc459fb303be054af95d609e920ce2dabb2b4bec","generation":1}');
INSERT INTO "in_force" VALUES('Server/casa',0,'{"document":{"apiVersion":"svc/v1","kind":"Server","metadata":{"name":"casa"},"spec":{"local":{"prefix":"/tmp/recorded/casa","trusted":true}}},"place":{"file":"casa.yaml","line":3,"column":19},"digest":"a97909f24d6732e55fc806171019786c76a1d926ce999b1a721a52150836ba18","generation":1}');
CREATE TABLE install_wishes (
    person TEXT NOT NULL, app TEXT NOT NULL, version TEXT, request_id TEXT NOT NULL, at_ms INTEGER NOT NULL, cancels INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (person, app)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE intents (
    person TEXT NOT NULL, app TEXT NOT NULL, wish TEXT NOT NULL, by_whom TEXT NOT NULL, request_id TEXT NOT NULL,
    at_ms INTEGER NOT NULL, done INTEGER NOT NULL, PRIMARY KEY (person, app)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE job_files (
    job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE, kind TEXT NOT NULL, path TEXT NOT NULL, sha TEXT NOT NULL, bytes INTEGER NOT NULL,
    complete INTEGER NOT NULL, refused INTEGER NOT NULL, PRIMARY KEY (job, kind, path)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "job_files" VALUES('ji1p2m78bt7stj9mibgh9','in','n.txt','040316eca5e77dbb2212c1efe8b81cb23bc67ce0ac8cb5c9d902d98bd45ddfa1',3,1,0);
INSERT INTO "job_files" VALUES('ji1p2m78bt7stj9mibgh9','out','soma.txt','084c799cd551dd1d8d5c5f9a5d593b2e931f5e36122ee5c793c1d08a19839cc0',3,1,0);
CREATE TABLE job_inputs (
    person TEXT NOT NULL, app TEXT NOT NULL, sha TEXT NOT NULL, bytes INTEGER NOT NULL, complete INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (person, app, sha)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "job_inputs" VALUES('ana','moinho','040316eca5e77dbb2212c1efe8b81cb23bc67ce0ac8cb5c9d902d98bd45ddfa1',3,1,1795685345442);
CREATE TABLE job_keys (
    person TEXT NOT NULL, app TEXT NOT NULL, submit_key TEXT NOT NULL, job TEXT NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (person, app, submit_key)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE job_leftovers (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name)) STRICT, WITHOUT ROWID;
CREATE TABLE job_requests (job TEXT PRIMARY KEY REFERENCES jobs ON DELETE CASCADE, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "job_requests" VALUES('ji1p2m78bt7stj9mibgh9','{"imagem":null,"comando":["bash","-c","read n <n.txt; echo \"got $n\"; mkdir -p saida; echo $((n + 1)) >saida/soma.txt"],"ambiente":{},"limites":{"cpus":1,"memoriaMb":1024,"segundos":60,"gpus":0}}');
CREATE TABLE job_tokens (token_hash TEXT PRIMARY KEY, job TEXT NOT NULL REFERENCES jobs ON DELETE CASCADE) STRICT, WITHOUT ROWID;
CREATE TABLE jobs (
    id TEXT PRIMARY KEY, change INTEGER NOT NULL, person TEXT NOT NULL, app TEXT NOT NULL, submit_key TEXT NOT NULL, name TEXT NOT NULL,
    cluster TEXT NOT NULL, cpus INTEGER NOT NULL, request_hash TEXT NOT NULL, created_at_ms INTEGER NOT NULL, released_at_ms INTEGER,
    attempt_at_ms INTEGER, accepted_at_ms INTEGER, cancel_at_ms INTEGER, report_state TEXT, report_code INTEGER, report_progress REAL,
    report_at_ms INTEGER, started_at_ms INTEGER, log_bytes INTEGER NOT NULL DEFAULT 0, output_bytes INTEGER NOT NULL DEFAULT 0, outcome TEXT,
    forgotten_at_ms INTEGER, expires_at_ms INTEGER
  , request_id TEXT, engine TEXT) STRICT;
INSERT INTO "jobs" VALUES('ji1p2m78bt7stj9mibgh9',12,'ana','moinho','soma','soma','aqui',1,'156cdd860312cfca472670e20272ab7813dcbf923ba5e71afa532d6329f4dd32',1795685345464,1795685345472,1795685345506,1795685345879,NULL,'terminado',0,NULL,1795685346379,1795685345902,7,3,'{"estado":"terminado","reason":"JobDone","message":"exit code 0","codigo":0,"iniciadoEm":1795685345902,"terminadoEm":1795685346379}',NULL,1796290146380,'3998e482-a166-4da6-a2ae-9043fc7abd40','43106f7a1e6c032a5fb4ccf5aceb43532490490973a05d836f1e345f2f6cc2c9');
CREATE TABLE named_values (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "named_values" VALUES('attachments-id','67908bed-ffa6-40d0-9a80-a2bac6f12d8a');
INSERT INTO "named_values" VALUES('desired/in-force','{"hash":"5e4cbf711096b2b06466be4deeb13131be511464a80ed18b962a9d1f668bbc0b","held":[],"why":null}');
INSERT INTO "named_values" VALUES('presence/ana','1795685342946');
INSERT INTO "named_values" VALUES('queue/portal','a0a262837ecd');
INSERT INTO "named_values" VALUES('room-log-id','711931a2-6a93-484e-a87b-70c998fa96a0');
CREATE TABLE notice_anchors (
    person TEXT NOT NULL, room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, kind TEXT NOT NULL, anchor TEXT NOT NULL,
    at_ms INTEGER NOT NULL, PRIMARY KEY (person, room, kind, anchor)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE "notices" (
    id TEXT PRIMARY KEY, person TEXT NOT NULL, kind TEXT NOT NULL, room TEXT REFERENCES rooms ON DELETE CASCADE, by_whom TEXT NOT NULL,
    role TEXT, anchor TEXT, at_ms INTEGER NOT NULL, read INTEGER NOT NULL DEFAULT 0, app TEXT, words TEXT, route TEXT, job TEXT, job_state TEXT, jobs INTEGER NOT NULL DEFAULT 0, jobs_failed INTEGER NOT NULL DEFAULT 0, begun_ms INTEGER,
    CHECK ((room IS NULL) = (app IS NOT NULL AND words IS NOT NULL))
  ) STRICT, WITHOUT ROWID;
INSERT INTO "notices" VALUES('hDZ2rEocTxIjEq8Gb-n2Ag','bia','convite','sms1L3HiGIEc0yxExI2lpR','ana','comentar',NULL,1795685345418,0,NULL,NULL,NULL,NULL,NULL,0,0,NULL);
INSERT INTO "notices" VALUES('wUsSF_DTLDGOmA_h40E8wg','ana','aplicativo',NULL,'ana',NULL,NULL,1795685345423,0,'caderno','Pronto','a',NULL,NULL,0,0,NULL);
INSERT INTO "notices" VALUES('ymCvY4tbN8HxuIgmHNwNTg','ana','trabalho',NULL,'ana',NULL,NULL,1795685346381,0,'moinho','soma',NULL,'ji1p2m78bt7stj9mibgh9','terminado',1,0,1795685346381);
CREATE TABLE passes (
    pass_hash TEXT PRIMARY KEY, person TEXT NOT NULL, admin INTEGER NOT NULL, audience TEXT NOT NULL, expires_at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE portal_tokens (
    token_hash TEXT PRIMARY KEY, person TEXT NOT NULL, app TEXT NOT NULL, scopes TEXT NOT NULL, start_hash TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE preferences (person TEXT PRIMARY KEY, version INTEGER NOT NULL, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "preferences" VALUES('ana',1,'{"tema":"escuro","fixados":["caderno"]}');
CREATE TABLE rollbacks (
    key TEXT PRIMARY KEY, from_version TEXT NOT NULL, to_version TEXT NOT NULL, request_id TEXT NOT NULL, at_ms INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
CREATE TABLE room_attachments (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, sha TEXT NOT NULL, bytes INTEGER NOT NULL, type TEXT NOT NULL,
    at_ms INTEGER NOT NULL, PRIMARY KEY (room, sha)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "room_attachments" VALUES('s9i68iOmM5vJqD5QNjVt0H','dfd537713dec5b816a2ff76e31f73afdd4a8b961713cdb985d7b252ce153f2fb',13,'text/plain',1795685345412);
INSERT INTO "room_attachments" VALUES('sms1L3HiGIEc0yxExI2lpR','ad5bc44f74b6e6835c1bb535f5a5cb660079dd9a67940e458ac106c6072e6e0d',13,'text/plain',1795685345393);
CREATE TABLE room_groups (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, name TEXT NOT NULL, role TEXT NOT NULL, given TEXT, declared_by TEXT,
    PRIMARY KEY (room, name)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "room_groups" VALUES('sDs85VI4YXUtJsizVsFNo8','editores','editar',NULL,'atas');
CREATE TABLE room_people (
    room TEXT NOT NULL REFERENCES rooms ON DELETE CASCADE, name TEXT NOT NULL, role TEXT NOT NULL, given TEXT, declared_by TEXT,
    PRIMARY KEY (room, name)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "room_people" VALUES('sms1L3HiGIEc0yxExI2lpR','bia','comentar','comentar',NULL);
CREATE TABLE rooms (
    id TEXT PRIMARY KEY, app TEXT NOT NULL, name TEXT NOT NULL, owner TEXT NOT NULL, created_at_ms INTEGER NOT NULL,
    changed_at_ms INTEGER NOT NULL, declared_name TEXT
  ) STRICT, WITHOUT ROWID;
INSERT INTO "rooms" VALUES('s9i68iOmM5vJqD5QNjVt0H','caderno','Ação','ana',1795685345060,1795685345060,NULL);
INSERT INTO "rooms" VALUES('sDs85VI4YXUtJsizVsFNo8','caderno','Atas da casa','ana',1795685344590,1795685344593,'Atas da casa');
INSERT INTO "rooms" VALUES('sms1L3HiGIEc0yxExI2lpR','caderno','Atas','ana',1795685345052,1795685345418,NULL);
CREATE TABLE sessions (
    token_hash TEXT PRIMARY KEY, person TEXT NOT NULL, admin INTEGER NOT NULL, audience TEXT NOT NULL,
    created_at_ms INTEGER NOT NULL, expires_at_ms INTEGER NOT NULL
  , seen_at_ms INTEGER NOT NULL DEFAULT 0, method TEXT NOT NULL DEFAULT '', address TEXT NOT NULL DEFAULT '', agent TEXT NOT NULL DEFAULT '') STRICT, WITHOUT ROWID;
INSERT INTO "sessions" VALUES('f4e0b0d3006097ed5babec44dbc5a0c37cc4f23f3f5fdc45cf7e654f0869db26','ana',1,'portal',1795685342945,1796894942945,1795685342945,'link','127.0.0.1','');
CREATE TABLE statuses (key TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO "statuses" VALUES('Backend/ana/caderno','{"key":"Backend/ana/caderno","kind":"Backend","state":"stopped","reason":"NeverStarted","message":"was never started","conditions":[{"type":"Ready","status":"False","reason":"NeverStarted","message":"was never started","observedGeneration":0,"sinceMs":1795685345143},{"type":"Progressing","status":"False","reason":"NeverStarted","message":"was never started","observedGeneration":0,"sinceMs":1795685345143},{"type":"Reachable","status":"True","reason":"Reachable","message":"","observedGeneration":0,"sinceMs":1795685345143},{"type":"Contained","status":"Unknown","reason":"NeverStarted","message":"no process to contain","observedGeneration":0,"sinceMs":1795685344583},{"type":"Stale","status":"False","reason":"Installed","message":"","observedGeneration":0,"sinceMs":1795685345143}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"state":"stopped","context":{"reason":"NeverStarted","sinceMs":1795685345143,"last":{"state":"stopped","reason":"NeverStarted"},"saw":"sawStopped"},"start":null,"sent":null,"autostartedFor":null,"startedAtMs":null,"failedHash":null,"since":{"Ready":["False",1795685345143],"Progressing":["False",1795685345143],"Reachable":["True",1795685345143],"Contained":["Unknown",1795685344583],"Stale":["False",1795685345143]}}},"generation":0,"seenAtMs":1795685345149,"details":{"ready":false,"stale":false,"wanted":false,"lastExitAtMs":null}}');
INSERT INTO "statuses" VALUES('Backend/ana/moinho','{"key":"Backend/ana/moinho","kind":"Backend","state":"stopped","reason":"NeverStarted","message":"was never started","conditions":[{"type":"Ready","status":"False","reason":"NeverStarted","message":"was never started","observedGeneration":0,"sinceMs":1795685345158},{"type":"Progressing","status":"False","reason":"NeverStarted","message":"was never started","observedGeneration":0,"sinceMs":1795685345158},{"type":"Reachable","status":"True","reason":"Reachable","message":"","observedGeneration":0,"sinceMs":1795685345158},{"type":"Contained","status":"Unknown","reason":"NeverStarted","message":"no process to contain","observedGeneration":0,"sinceMs":1795685344587},{"type":"Stale","status":"False","reason":"Installed","message":"","observedGeneration":0,"sinceMs":1795685345158}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"state":"stopped","context":{"reason":"NeverStarted","sinceMs":1795685345158,"last":{"state":"stopped","reason":"NeverStarted"},"saw":"sawStopped"},"start":null,"sent":null,"autostartedFor":null,"startedAtMs":null,"failedHash":null,"since":{"Ready":["False",1795685345158],"Progressing":["False",1795685345158],"Reachable":["True",1795685345158],"Contained":["Unknown",1795685344587],"Stale":["False",1795685345158]}}},"generation":0,"seenAtMs":1795685345158,"details":{"ready":false,"stale":false,"wanted":false,"lastExitAtMs":null}}');
INSERT INTO "statuses" VALUES('Backend/ana/notas','{"key":"Backend/ana/notas","kind":"Backend","state":"stopped","reason":"NeverStarted","message":"was never started","conditions":[{"type":"Ready","status":"False","reason":"NeverStarted","message":"was never started","observedGeneration":0,"sinceMs":1795685345158},{"type":"Progressing","status":"False","reason":"NeverStarted","message":"was never started","observedGeneration":0,"sinceMs":1795685345158},{"type":"Reachable","status":"True","reason":"Reachable","message":"","observedGeneration":0,"sinceMs":1795685345158},{"type":"Contained","status":"Unknown","reason":"NeverStarted","message":"no process to contain","observedGeneration":0,"sinceMs":1795685344587},{"type":"Stale","status":"False","reason":"Installed","message":"","observedGeneration":0,"sinceMs":1795685345158}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"state":"stopped","context":{"reason":"NeverStarted","sinceMs":1795685345158,"last":{"state":"stopped","reason":"NeverStarted"},"saw":"sawStopped"},"start":null,"sent":null,"autostartedFor":null,"startedAtMs":null,"failedHash":null,"since":{"Ready":["False",1795685345158],"Progressing":["False",1795685345158],"Reachable":["True",1795685345158],"Contained":["Unknown",1795685344587],"Stale":["False",1795685345158]}}},"generation":0,"seenAtMs":1795685345160,"details":{"ready":false,"stale":false,"wanted":false,"lastExitAtMs":null}}');
INSERT INTO "statuses" VALUES('Cluster/aqui','{"key":"Cluster/aqui","kind":"Cluster","state":"reachable","reason":"Reachable","message":"jobs run confined by bubblewrap","conditions":[{"type":"Reachable","status":"True","reason":"Reachable","message":"jobs run confined by bubblewrap","observedGeneration":1,"sinceMs":1795685342217}],"nextDeadlineMs":1795685347995,"memory":{"version":1,"value":{"since":{"Reachable":["True",1795685342217]}}},"generation":1,"seenAtMs":1795685346382,"details":{"isolation":"bubblewrap","waiting":0,"inFlight":0}}');
INSERT INTO "statuses" VALUES('Grant/atas','{"key":"Grant/atas","kind":"Grant","state":"granted","reason":"Granted","message":"in the room Atas da casa of caderno","conditions":[{"type":"Ready","status":"True","reason":"Granted","message":"in the room Atas da casa of caderno","observedGeneration":1,"sinceMs":1795685344595},{"type":"Progressing","status":"False","reason":"Granted","message":"in the room Atas da casa of caderno","observedGeneration":1,"sinceMs":1795685344595}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"since":{"Ready":["True",1795685344595],"Progressing":["False",1795685344595]}}},"generation":1,"seenAtMs":1795685344595,"details":{"app":"caderno","sala":"Atas da casa","leaving":false,"room":"sDs85VI4YXUtJsizVsFNo8","nome":"Atas da casa","dona":"ana","declared":["group editores editar"],"given":[]}}');
INSERT INTO "statuses" VALUES('Job/ji1p2m78bt7stj9mibgh9','{"key":"Job/ji1p2m78bt7stj9mibgh9","kind":"Job","state":"terminado","reason":"JobDone","message":"exit code 0","conditions":[{"type":"Ready","status":"True","reason":"JobDone","message":"exit code 0","observedGeneration":0,"sinceMs":1795685346382},{"type":"Progressing","status":"False","reason":"JobDone","message":"exit code 0","observedGeneration":0,"sinceMs":1795685346382}],"nextDeadlineMs":1796290146380,"memory":{"version":1,"value":{"state":"terminado","attempts":0,"nextAtMs":0,"missingSinceMs":null,"endedSinceMs":null,"since":{"Ready":["True",1795685346382],"Progressing":["False",1795685346382]}}},"generation":0,"seenAtMs":1795685346383,"details":{"usuario":"ana","app":"moinho","nome":"soma","cluster":"aqui","chave":"soma","requestId":"3998e482-a166-4da6-a2ae-9043fc7abd40","createdAtMs":1795685345464,"code":0}}');
INSERT INTO "statuses" VALUES('Package/caderno-casa','{"key":"Package/caderno-casa","kind":"Package","state":"installed","reason":"Installed","message":"version 1.0.0","conditions":[{"type":"Ready","status":"True","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344590},{"type":"Installed","status":"True","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344589},{"type":"Progressing","status":"False","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344590},{"type":"Drift","status":"False","reason":"Installed","message":"","observedGeneration":1,"sinceMs":1795685342452}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"attempts":0,"nextAttemptAtMs":0,"attempted":null,"seen":"1.0.0","before":null,"driftSinceMs":null,"repairs":0,"repairedAtMs":0,"endingSinceMs":null,"confirmAtMs":0,"since":{"Ready":["True",1795685344590],"Installed":["True",1795685344589],"Progressing":["False",1795685344590],"Drift":["False",1795685342452]}}},"generation":1,"seenAtMs":1795685344590,"details":{"app":"caderno","server":"casa","scope":"sistema","version":"1.0.0","installed":"1.0.0","previous":null,"drift":false}}');
INSERT INTO "statuses" VALUES('Package/moinho-casa','{"key":"Package/moinho-casa","kind":"Package","state":"installed","reason":"Installed","message":"version 1.0.0","conditions":[{"type":"Ready","status":"True","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344600},{"type":"Installed","status":"True","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344589},{"type":"Progressing","status":"False","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344600},{"type":"Drift","status":"False","reason":"Installed","message":"","observedGeneration":1,"sinceMs":1795685342455}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"attempts":0,"nextAttemptAtMs":0,"attempted":null,"seen":"1.0.0","before":null,"driftSinceMs":null,"repairs":0,"repairedAtMs":0,"endingSinceMs":null,"confirmAtMs":0,"since":{"Ready":["True",1795685344600],"Installed":["True",1795685344589],"Progressing":["False",1795685344600],"Drift":["False",1795685342455]}}},"generation":1,"seenAtMs":1795685344600,"details":{"app":"moinho","server":"casa","scope":"sistema","version":"1.0.0","installed":"1.0.0","previous":null,"drift":false}}');
INSERT INTO "statuses" VALUES('Package/notas-casa','{"key":"Package/notas-casa","kind":"Package","state":"installed","reason":"Installed","message":"version 1.0.0","conditions":[{"type":"Ready","status":"True","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344600},{"type":"Installed","status":"True","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344589},{"type":"Progressing","status":"False","reason":"Installed","message":"version 1.0.0","observedGeneration":1,"sinceMs":1795685344600},{"type":"Drift","status":"False","reason":"Installed","message":"","observedGeneration":1,"sinceMs":1795685342456}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"attempts":0,"nextAttemptAtMs":0,"attempted":null,"seen":"1.0.0","before":null,"driftSinceMs":null,"repairs":0,"repairedAtMs":0,"endingSinceMs":null,"confirmAtMs":0,"since":{"Ready":["True",1795685344600],"Installed":["True",1795685344589],"Progressing":["False",1795685344600],"Drift":["False",1795685342456]}}},"generation":1,"seenAtMs":1795685344600,"details":{"app":"notas","server":"casa","scope":"sistema","version":"1.0.0","installed":"1.0.0","previous":null,"drift":false}}');
INSERT INTO "statuses" VALUES('Person/ana','{"key":"Person/ana","kind":"Person","state":"present","reason":"Provisioned","message":"","conditions":[{"type":"Ready","status":"True","reason":"Provisioned","message":"","observedGeneration":1,"sinceMs":1795685343032},{"type":"Reachable","status":"True","reason":"Reachable","message":"","observedGeneration":1,"sinceMs":1795685343032}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"since":{"Ready":["True",1795685343032],"Reachable":["True",1795685343032]}}},"generation":1,"seenAtMs":1795685343033,"details":{"server":"casa","account":"ana","leaving":false}}');
INSERT INTO "statuses" VALUES('Portal/casa','{"key":"Portal/casa","kind":"Portal","state":"listening","reason":"Listening","message":"","conditions":[{"type":"Ready","status":"True","reason":"Listening","message":"","observedGeneration":1,"sinceMs":1795685342311}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"since":{"Ready":["True",1795685342311]}}},"generation":1,"seenAtMs":1795685342312,"details":{"objects":9,"errors":[],"warnings":[],"pendingPrune":[]}}');
INSERT INTO "statuses" VALUES('Server/casa','{"key":"Server/casa","kind":"Server","state":"ready","reason":"Reachable","message":"","conditions":[{"type":"Ready","status":"True","reason":"Reachable","message":"","observedGeneration":1,"sinceMs":1795685344287},{"type":"Reachable","status":"True","reason":"Reachable","message":"","observedGeneration":1,"sinceMs":1795685344287}],"nextDeadlineMs":null,"memory":{"version":1,"value":{"since":{"Ready":["True",1795685344287],"Reachable":["True",1795685344287]},"attempts":0,"nextAttemptAtMs":0,"attempted":null,"busy":false}},"generation":1,"seenAtMs":1795685344292,"details":{"packages":0}}');
INSERT INTO "statuses" VALUES('Supervisor/ana','{"key":"Supervisor/ana","kind":"Supervisor","state":"up","reason":"Provisioned","message":"","conditions":[{"type":"Ready","status":"True","reason":"Provisioned","message":"","observedGeneration":0,"sinceMs":1795685345160}],"nextDeadlineMs":1795685405160,"memory":{"version":1,"value":{"attempts":1,"nextAttemptAtMs":1795685344033,"upSinceMs":1795685345160,"unwantedSinceMs":null,"wasUp":true,"since":{"Ready":["True",1795685345160]}}},"generation":0,"seenAtMs":1795685345160,"details":{"pid":1020,"version":"0.2.2"}}');
CREATE TABLE windows (
    person TEXT NOT NULL, app TEXT NOT NULL, open INTEGER NOT NULL, zero_since_ms INTEGER, PRIMARY KEY (person, app)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX events_by_key ON events (key, seq);
CREATE INDEX sessions_by_person ON sessions (person, created_at_ms);
CREATE INDEX sessions_by_expiry ON sessions (expires_at_ms);
CREATE INDEX passes_by_expiry ON passes (expires_at_ms);
CREATE INDEX rooms_by_owner ON rooms (owner, app);
CREATE UNIQUE INDEX rooms_by_declaration ON rooms (app, declared_name) WHERE declared_name IS NOT NULL;
CREATE INDEX room_people_by_name ON room_people (name, room);
CREATE INDEX room_people_by_document ON room_people (declared_by) WHERE declared_by IS NOT NULL;
CREATE INDEX room_groups_by_name ON room_groups (name, room);
CREATE INDEX room_groups_by_document ON room_groups (declared_by) WHERE declared_by IS NOT NULL;
CREATE INDEX notice_anchors_by_age ON notice_anchors (person, at_ms);
CREATE INDEX notice_anchors_by_room ON notice_anchors (room);
CREATE INDEX portal_tokens_by_backend ON portal_tokens (person, app);
CREATE INDEX notices_by_person ON notices (person, at_ms, id);
CREATE INDEX notices_unread ON notices (person) WHERE read = 0;
CREATE INDEX notices_by_room ON notices (room);
CREATE INDEX notices_by_app ON notices (person, app, at_ms, id) WHERE app IS NOT NULL;
CREATE UNIQUE INDEX notices_of_invitations ON notices (person, room) WHERE kind = 'convite';
CREATE UNIQUE INDEX jobs_by_key ON jobs (person, app, submit_key);
CREATE UNIQUE INDEX jobs_by_change ON jobs (change);
CREATE INDEX jobs_by_age ON jobs (created_at_ms, id);
CREATE INDEX jobs_by_person ON jobs (person, created_at_ms, id);
CREATE INDEX jobs_space ON jobs (person, output_bytes, log_bytes);
CREATE INDEX job_tokens_by_job ON job_tokens (job);
CREATE INDEX job_files_by_sha ON job_files (sha, kind);
CREATE INDEX job_inputs_by_age ON job_inputs (at_ms);
CREATE INDEX job_keys_by_age ON job_keys (at_ms);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('events',27);
COMMIT;
PRAGMA user_version = 16;
