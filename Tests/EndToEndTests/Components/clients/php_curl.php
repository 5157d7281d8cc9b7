<?php
$request = curl_init($argv[1]);
curl_setopt_array($request, [CURLOPT_RETURNTRANSFER => true, CURLOPT_FAILONERROR => true, CURLOPT_TIMEOUT => 20]);
$body = curl_exec($request);
if ($body === false) {
    fwrite(STDERR, curl_error($request) . "\n");
    exit(1);
}
echo $body;
