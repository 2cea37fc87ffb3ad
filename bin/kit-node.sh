# Read by the programs of the kit and by what publishes: says which Node runs them ($node, of the folder $root), and takes away what an account's
# environment may do to any Node (a module that is loaded first, another configuration of OpenSSL, an end of a pipe that is not there). What is
# left is for the network: NODE_EXTRA_CA_CERTS and NODE_USE_SYSTEM_CA.
unset NODE_OPTIONS NODE_PATH NODE_CHANNEL_FD NODE_UNIQUE_ID NODE_ICU_DATA NODE_V8_COVERAGE NODE_DEBUG NODE_DEBUG_NATIVE
unset NODE_PENDING_DEPRECATION NODE_REDIRECT_WARNINGS NODE_PRESERVE_SYMLINKS NODE_PRESERVE_SYMLINKS_MAIN NODE_TLS_REJECT_UNAUTHORIZED
unset OPENSSL_CONF OPENSSL_MODULES UV_THREADPOOL_SIZE
node=${SVC_NODE:-$root/node_modules/.bin/node}
if [ ! -x "$node" ]; then node=$root/node/bin/node; fi
if [ ! -x "$node" ]; then node=node; fi
