<?php
// Adminer of Debian, on one file of the person's own, without a question: whoever comes in was judged before.
$_GET += ['sqlite' => '', 'username' => '', 'db' => getenv('SVC_APP_DATA_DIR') . '/banco.sqlite'];

function adminer_object() {
    class OwnAdminer extends Adminer {
        function login($login, $password) {
            return true;
        }
    }
    $_SESSION['pwds']['sqlite'][''][''] = '';
    return new OwnAdminer();
}

include '/usr/share/adminer/adminer.php';
