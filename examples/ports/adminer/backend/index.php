<?php
// Adminer of Debian, opened on the person's own file without a question: who comes in was judged before.
$file = getenv('SVC_APP_DATA_DIR') . '/banco.sqlite';

if (!$_GET && !$_POST) {
    $_POST['auth'] = ['driver' => 'sqlite', 'server' => '', 'username' => '', 'password' => '', 'db' => $file];
}

function adminer_object() {
    class OwnAdminer extends Adminer {
        function login($login, $password) {
            return true;
        }
    }
    return new OwnAdminer();
}

include '/usr/share/adminer/adminer.php';
