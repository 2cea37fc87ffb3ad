'use strict';
/**
 * Metrics of the app (spec 2.1 `recursos.metricas`). Without the declaration publishing does nothing and never throws, as the spec says;
 * with it this version refuses, because nothing would arrive.
 */
const portal = require('./portal.js');

const disponivel = () => portal.disponivel('metricas');
const publish = (verbo) => () => {
  if (portal.escopos()?.includes('metricas') === true) portal.recusar('metricas', verbo);
};

module.exports = { disponivel, contar: publish('contar'), duracao: publish('duracao'), relatarErro: publish('relatarErro') };
