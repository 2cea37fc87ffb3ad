void fetch('api/ping');
